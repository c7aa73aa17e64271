"""Episodes: topical blocks of what was said, what they hold in few words, and how present they are (SPEC 11)."""
