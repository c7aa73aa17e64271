"""What the room answers: reads only, always starting with the user, always inside a `tenant_scope`."""
