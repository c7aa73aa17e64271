"""Reads hard bans: things that must never be offered."""
