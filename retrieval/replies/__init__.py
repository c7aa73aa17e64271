"""What a reply did with its pack: what it gave away, what it used (SPEC P-6)."""
