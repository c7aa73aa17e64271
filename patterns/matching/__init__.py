"""Finding words and patterns in a normalised text: the vocabulary, triggers, phrases of replies."""
