"""One message by its id: read, edited, forgotten, and its versions (SPEC A-3)."""
