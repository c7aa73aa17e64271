"""From what many users have in common to the tenant's own knowledge: proposed at night, decided by a person (N-8)."""
