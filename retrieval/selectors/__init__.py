"""Reads of the room. They write nothing."""
