"""What a language model proposes about a project, behind a gate: each proposal points at words, or is refused."""
