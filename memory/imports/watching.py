"""How many imports wait, for readiness, metrics and alerts; and those that are over, deleted after a while."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.utils import timezone

from memory.database.statements import fetch_row


def count_open_imports() -> int:
    """Imports of all tenants that are not over."""
    return _count(accepted_before=timezone.now())


def count_late_imports() -> int:
    """Those among them that were accepted so long ago that something must be wrong."""
    return _count(accepted_before=timezone.now() - settings.UNDE_TUNING.IMPORT_LATE_AFTER)


def drop_imports(*, now: datetime, limit: int) -> int:
    """Delete imports that are over for as long as operations can be asked for; how many. For workers. Writes."""
    return int(fetch_row("SELECT drop_imports_v2(%s, %s)", [now - settings.UNDE_TUNING.IMPORT_KEPT_FOR, limit])[0])


def _count(*, accepted_before: datetime) -> int:
    return int(fetch_row("SELECT count_open_imports_v1(%s)", [accepted_before])[0])
