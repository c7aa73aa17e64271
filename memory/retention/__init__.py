"""What is older than a tenant or a purpose keeps it goes by itself at night (T-1, D-54)."""
