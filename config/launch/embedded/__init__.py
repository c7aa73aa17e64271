"""The embedded servers of one installation: their programs, PostgreSQL, Valkey, and who keeps them up."""
