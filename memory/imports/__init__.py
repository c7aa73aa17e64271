"""Import: our own export with both its logs, and the messages of other memories (SPEC M-7)."""
