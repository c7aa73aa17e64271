"""Tenants, API keys, staff roles, the audit trail, and the walls between tenants (SPEC A-1, D-14, D-31)."""
