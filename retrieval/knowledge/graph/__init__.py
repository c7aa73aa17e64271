"""Typed edges as paths and as arrays: complete answers, and what is near a question."""
