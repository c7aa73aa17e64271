"""Clothing sizes, height and weight."""
