"""What was said and is not proved: candidates and adaptive items, kept, promoted, shown (SPEC X-3, X-7)."""
