"""What stands around a statement and what that makes of it (SPEC X-3)."""
