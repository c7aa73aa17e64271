"""Pages of a tenant's corpora: what is in them, their names, their plans, and how they answer (SPEC 12, H-1)."""
