"""Writes of the room: each function is called inside a tenant scope."""
