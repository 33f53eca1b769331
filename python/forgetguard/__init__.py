"""forgetguard: a fact that the user asked to forget stays forgotten."""
