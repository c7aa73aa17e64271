"""`/mcp/oauth/{tenant}`: a resource server for the tenant's own authorization server (RFC 9728, RFC 8707)."""
