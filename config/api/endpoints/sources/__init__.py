"""Who told us what of a user, and all of one client's taken back at once."""
