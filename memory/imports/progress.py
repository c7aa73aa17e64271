"""How far an import is, for whoever asks: in the cache, since its row is locked while it goes on.

With the cache the figure is lost, and nothing else.
"""

from __future__ import annotations

from uuid import UUID

import structlog
from django.conf import settings
from django.core.cache import cache

log = structlog.get_logger(__name__)


def note_progress(import_id: UUID, done: int, total: int) -> None:
    """Note how many lines or messages are taken, and how many there are."""
    try:
        cache.set(_name(import_id), (done, total), timeout=settings.UNDE_TUNING.IMPORT_PROGRESS_KEPT_SECONDS)
    except Exception as error:
        log.info("import_progress_lost", import_id=str(import_id), error=type(error).__name__)


def read_progress(import_id: UUID) -> tuple[int, int] | None:
    """What was noted last; None where there is no note, or the cache is away."""
    try:
        found: tuple[int, int] | None = cache.get(_name(import_id))
    except Exception as error:
        log.info("import_progress_lost", import_id=str(import_id), error=type(error).__name__)
        return None
    return found


def _name(import_id: UUID) -> str:
    return f"import:{import_id}"
