"""The tenant's own knowledge: corpora, their registry of names, and their graph (SPEC 12). It reads no user memory."""
