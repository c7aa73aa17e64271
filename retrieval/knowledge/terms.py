"""Lexemes as numbers: what postings and keys of aliases are looked up by. Pure."""

from __future__ import annotations

from functools import lru_cache

from patterns.text.caches import empty_with_stores
from patterns.text.lexemes import hash_new_lexeme


@lru_cache(maxsize=400_000)
def number_term(lexeme: str) -> int:
    """The number of a lexeme: five bytes of its hash, as in the index of messages."""
    return int.from_bytes(hash_new_lexeme(lexeme), "big")


# Words of questions are a user's: an erasure empties what is kept of them.
empty_with_stores(number_term.cache_clear)
