"""The derived index of messages: what is stored of each by its text, vectors, snippets, and how it goes again."""
