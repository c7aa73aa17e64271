"""Sets of rules: loaded from packs and rows, checked, compiled, kept in force; and the one that reads a message."""
