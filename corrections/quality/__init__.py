"""How well memory does: service levels, their trend, and the governor that acts on them (SPEC Q-1, Q-2)."""
