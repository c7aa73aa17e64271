"""What a change of rules or words would do to a tenant's own messages, before it reads anybody (SPEC I-2, D-31)."""
