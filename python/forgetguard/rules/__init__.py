"""What counts as a restatement of a forgotten fact."""
