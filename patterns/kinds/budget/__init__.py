"""What the user is ready to spend."""
