"""The native implementation of the rules. Use it through `forgetguard.rules`, which chooses the implementation."""

__all__ = ["__version__", "rules_version"]

__version__: str
"""The version of the package that this core was built for."""

def rules_version() -> str:
    """The version of the rules that this implementation follows."""
