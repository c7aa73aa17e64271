"""Text search over the chunks of a corpus, helped by the entities that a question names."""
