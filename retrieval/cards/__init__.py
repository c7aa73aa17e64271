"""From hits to episode cards: text by key, excerpts, spans of short turns, the privacy guard."""
