from guarding import guard, home, key, open_guard, path  # noqa: F401 - fixtures
