"""Targets that try to get out, to act, or never to end."""
