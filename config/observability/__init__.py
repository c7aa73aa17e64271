"""Logs and metrics: what runs, for whom by id, and how long. Never what a user said (SPEC G-6, D-16)."""
