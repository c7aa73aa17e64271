"""Erasure that can be proved: tombstone, erasers, verification, certificate (SPEC G-2 to G-4, D-29, D-30)."""
