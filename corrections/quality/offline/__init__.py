"""What users were let down by, measured over stored data and without a model: misses and repeats (SPEC Q-3)."""
