"""What changes tenants, keys, staff and the audit trail."""
