from __future__ import annotations

from guarding import guard, home, key, open_guard, path

__all__ = ["guard", "home", "key", "open_guard", "path"]
