"""Encryption of what a user's facts say, under a key of the user's own (SPEC F-6, D-15). Imports no models."""
