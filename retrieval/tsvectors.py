"""Writing `tsvector` and `tsquery` values as text: no PostgreSQL configuration has a say in the tokens (D-11)."""

from __future__ import annotations

from collections.abc import Iterable

from retrieval.tokens import Token

MAX_POSITION = 16_383  # PostgreSQL's own limit
MAX_POSITIONS_OF_A_LEXEME = 8  # ts_rank gives later ones next to nothing (1/n^2)
MAX_BYTES = 800_000  # PostgreSQL refuses a tsvector of 1 MB and with it the message; neighbours need room as well
BYTES_OF_AN_ENTRY = 8


def write_tsvector(tokens: Iterable[Token], *, weight: str = "") -> str:
    """The tokens as a `tsvector` literal; `weight` is A, B, C or D, none by default.

    Any text is safe: lexemes are quoted.
    """
    positions: dict[str, list[int]] = {}
    size = 0
    for place, token in enumerate(tokens, start=1):
        for lexeme, _ in token.lexemes:
            places = positions.get(lexeme)
            if places is None:
                size += len(lexeme.encode()) + BYTES_OF_AN_ENTRY + 2 * MAX_POSITIONS_OF_A_LEXEME
                if size > MAX_BYTES:
                    continue
                places = positions[lexeme] = []
            if len(places) < MAX_POSITIONS_OF_A_LEXEME:
                places.append(min(place, MAX_POSITION))
    return " ".join(
        f"{quote_lexeme(lexeme)}:{','.join(f'{place}{weight}' for place in sorted(set(places)))}"
        for lexeme, places in positions.items()
    )


def quote_lexeme(lexeme: str) -> str:
    """A lexeme between quotes, as both `tsvector` and `tsquery` read it."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
