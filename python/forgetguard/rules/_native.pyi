"""The native implementation of the rules. Use it through `forgetguard.rules`, which chooses the implementation."""

__all__ = ["DEBUG_BUILD", "__version__", "rules_version"]

__version__: str
"""The version of the package that this core was built for."""

DEBUG_BUILD: bool
"""True for an unoptimised core, which no benchmark may time."""

def rules_version() -> str:
    """The version of the rules that this implementation follows."""
