"""Writes of the wing."""
