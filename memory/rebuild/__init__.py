"""Rebuild: fold both logs anew, compare with what is stored, and make it so (SPEC M-4, D-1)."""
