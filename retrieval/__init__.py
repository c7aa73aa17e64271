"""Finding what the user once said: the derived index, search, the context pack and its receipt."""
