"""Facts: decided in `ledger` (pure), written by `writing`, read by `reading` (SPEC section 4)."""
