"""Allergies to what touches the skin."""
