"""The demo: one conversation as data (`conversation.yaml`), replayed over HTTP and held to its expectations."""
