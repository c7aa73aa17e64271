"""Talking to PostgreSQL: statements sent together, and the SQL that the room shares."""
