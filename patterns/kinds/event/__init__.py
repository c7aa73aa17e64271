"""Life events ahead of the user."""
