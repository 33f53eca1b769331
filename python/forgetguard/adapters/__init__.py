"""Hosts that forgetguard knows by name. Each is imported when it is asked for."""
