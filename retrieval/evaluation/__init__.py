"""Measuring retrieval on labelled questions (SPEC Q-3)."""
