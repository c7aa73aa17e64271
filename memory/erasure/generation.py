"""Every process empties its caches of earlier messages when somebody was erased.

The database counts erasures. A process looks at the number every two seconds at most, when it has something to do, and
empties its stores of words (`patterns.text.caches`) where the number is a new one.
"""

from __future__ import annotations

import time

from django.conf import settings
from django.db import DatabaseError

from memory.database.statements import execute, fetch_row
from patterns.text.caches import empty_stores

_known: int | None = None
_looked_at = float("-inf")


def raise_generation() -> None:
    """Tell all processes that rows were erased; this one forgets at once. Writes outside of any transaction's fate."""
    execute("SELECT nextval('erasure_generation')")
    empty_stores()


def forget_erased() -> None:
    """Empty this process's stores where an erasure was carried out since it last looked. Reads one number at most.

    Without a database nothing happens: what asked for it will fail by itself.
    """
    global _known, _looked_at
    if time.monotonic() - _looked_at < settings.UNDE_TUNING.ERASED_LOOKED_AGAIN_SECONDS:
        return
    _looked_at = time.monotonic()
    try:
        found = _read_generation()
    except DatabaseError:
        return
    if found != _known:
        _known = found
        empty_stores()


def _read_generation() -> int:
    # Before its first number a sequence says 1 too.
    return int(fetch_row("SELECT last_value - 1 + is_called::integer FROM erasure_generation")[0])
