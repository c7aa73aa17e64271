"""Pages of one user: what is known, what was said, what was done, and the buttons of an operator."""
