"""A provider of vectors that is away: it is left alone for a while, and no message loses a try by it (SPEC E-2).

The state is in the row of the provider's model, so that all workers share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings

from memory.database.statements import execute, fetch_row
from retrieval.embedding.providers import EmbeddingMisconfigured
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider
from retrieval.index.embedding_models import get_configured_provider

_NOTE_OUTAGE: Final = """
UPDATE embedding_model
   SET outages = least(outages + 1, 1000), failing_since = coalesce(failing_since, %(now)s), failure_code = %(code)s,
       resting_until = %(now)s
         + greatest(least(%(first)s::interval * 2 ^ least(outages, 10), %(longest)s::interval), %(wish)s::interval)
 WHERE name = %(name)s AND dimensions = %(dimensions)s AND (resting_until IS NULL OR resting_until <= %(now)s)
"""
_NOTE_ANSWER: Final = """
UPDATE embedding_model SET outages = 0, failing_since = NULL, resting_until = NULL, failure_code = ''
 WHERE name = %s AND dimensions = %s AND outages > 0
"""
_FIND: Final = """
SELECT failing_since, resting_until, failure_code FROM embedding_model
 WHERE name = %s AND dimensions = %s AND outages > 0
"""


class ProviderAway(Exception):
    """The provider answers nobody now. `str()` is a code."""

    def __init__(self, failure: EmbeddingFailed) -> None:
        super().__init__(failure.code)
        self.code = failure.code
        self.wish = timedelta(seconds=failure.retry_after_seconds)


@dataclass(frozen=True, slots=True)
class Outage:
    """Since when a provider is away, until when it is left alone, and the code of its last failure."""

    failing_since: datetime
    resting_until: datetime
    code: str


def find_outage(provider: EmbeddingProvider) -> Outage | None:
    """The outage of a provider that is going on, None while it works. Reads one row."""
    row = fetch_row(_FIND, [provider.name, provider.dimensions])
    return Outage(*row) if row else None


def find_configured_outage() -> Outage | None:
    """The outage of the provider that settings name. None also where they name none rightly: a system check says so."""
    try:
        return find_outage(get_configured_provider())
    except (EmbeddingMisconfigured, EmbeddingFailed):
        return None


def note_outage(provider: EmbeddingProvider, away: ProviderAway, *, now: datetime) -> None:
    """Leave the provider alone: 30 seconds, then twice as long each time, 10 minutes at most, or as it asks. Writes.

    Workers that find the same outage at once count it once.
    """
    wished: dict[str, Any] = {
        "first": settings.UNDE_TUNING.EMBED_FIRST_REST,
        "longest": settings.UNDE_TUNING.EMBED_LONGEST_REST,
        "wish": min(away.wish, settings.UNDE_TUNING.EMBED_LONGEST_WISH),
    }
    named: dict[str, Any] = {
        "name": provider.name,
        "dimensions": provider.dimensions,
        "code": away.code[:60],
        "now": now,
    }
    execute(_NOTE_OUTAGE, wished | named)


def note_answer(provider: EmbeddingProvider) -> None:
    """The provider has answered: an outage is over. Writes where there was one."""
    execute(_NOTE_ANSWER, [provider.name, provider.dimensions])
