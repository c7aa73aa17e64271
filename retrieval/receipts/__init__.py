"""The stored account of a search or a pack: writing, reading, replay, and what became of its parts."""
