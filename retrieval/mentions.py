"""Messages that say something themselves: what a wish to forget may select (SPEC G-5)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memory.types import UserRef
from patterns.text.lexemes import has_own_lexeme
from patterns.text.tokens import list_query_terms
from retrieval.pipeline import search_messages
from retrieval.search.stages import PreparedQuestion
from retrieval.search.statement import list_lexemes
from retrieval.types import SearchQuery

LEAST_SHARE_OF_BEST = 0.5  # a hit with half the best score or less only shares a common word with the query


def find_mentions(query: SearchQuery, *, now: datetime, prepared: PreparedQuestion | None = None) -> list[UUID]:
    """Messages of the user that hold a word of the query themselves and rank with the best, best first; maybe none.

    Narrower than a search on purpose: a search answers with what is near, and what is near must not be forgotten with
    what was meant. Writes the search's receipt.
    """
    found = search_messages(query, now=now, prepared=prepared).results
    least = LEAST_SHARE_OF_BEST * max((card.score for card in found), default=0.0)
    near = [card.message_id for card in found if card.score >= least]
    own = _list_own_mentions(query.user, query.text, near)
    return [message_id for message_id in near if message_id in own]


def _list_own_mentions(user: UserRef, text: str, message_ids: Sequence[UUID]) -> set[UUID]:
    lexemes = [term.lexeme for term in list_query_terms(text)]
    packed = list_lexemes(user=user, message_ids=message_ids)
    return {message_id for message_id in packed if has_own_lexeme(packed[message_id], lexemes)}
