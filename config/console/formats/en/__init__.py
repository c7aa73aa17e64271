"""Formats for the console's one language."""
