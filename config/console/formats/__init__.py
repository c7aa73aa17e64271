"""How the console writes dates: short, unambiguous, 24 hours."""
