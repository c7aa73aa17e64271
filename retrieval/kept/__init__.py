"""Search over kept items: by words and vectors, as messages are searched. They are opened for each question."""
