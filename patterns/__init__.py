"""The room of rules: text in, readings out. Knows nothing of users, messages or facts."""
