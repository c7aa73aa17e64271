"""What the room does: every write to its tables goes through a function in here."""
