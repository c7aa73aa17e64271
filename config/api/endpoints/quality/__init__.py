"""The tenant's service levels over the wire (SPEC Q-2)."""
