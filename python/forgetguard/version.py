"""The version of the package. pyproject.toml and Cargo.toml say the same; a test compares them."""

from __future__ import annotations

VERSION = "0.1.0"
