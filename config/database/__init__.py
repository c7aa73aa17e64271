"""Django's PostgreSQL backend with a pool that looks at a connection before it asks it."""
