"""The console: start page, a user's memory, the pattern bench, and the wiring of the admin (SPEC H-1)."""
