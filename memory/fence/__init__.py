"""Who may write about a user: the one lock, the fence of an erased user, and the tombstones that keep it up."""
