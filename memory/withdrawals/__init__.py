"""Facts of rules that were taken back: counted, closed and opened again, and stored messages read anew (SPEC I-2)."""
