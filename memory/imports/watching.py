"""How many imports wait, for readiness, metrics and alerts; and those that are over, deleted after a while."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import connection
from django.utils import timezone


def count_open_imports() -> int:
    """Imports of all tenants that are not over."""
    return _count(accepted_before=timezone.now())


def count_late_imports() -> int:
    """Those among them that were accepted so long ago that something must be wrong."""
    return _count(accepted_before=timezone.now() - settings.UNDE_TUNING.IMPORT_LATE_AFTER)


def drop_imports(*, now: datetime, limit: int) -> int:
    """Delete imports that are over for as long as operations can be asked for; how many. For workers. Writes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT drop_imports_v2(%s, %s)", [now - settings.UNDE_TUNING.IMPORT_KEPT_FOR, limit])
        return int(cursor.fetchone()[0])


def _count(*, accepted_before: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count_open_imports_v1(%s)", [accepted_before])
        return int(cursor.fetchone()[0])
