"""The context pack: what goes in under its budget, the directives, and its rendering for a model."""
