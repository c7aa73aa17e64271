"""From items or hits to an answer in words, without a model and with one (SPEC N-6)."""
