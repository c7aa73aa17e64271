"""Candidates and adaptive items: storing, promoting and showing them (SPEC X-3, X-7)."""
