"""The detector judged: labelled corpora and golden cases. Pure."""
