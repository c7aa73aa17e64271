"""What a question asks for: its intent, the entities that it names, and the tool that answers it (SPEC N-3)."""
