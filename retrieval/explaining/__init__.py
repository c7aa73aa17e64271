"""One query or one receipt made visible: as lines, as a picture, and replayed (SPEC P-4, D-21)."""
