"""From which states of a database this version can start."""

from __future__ import annotations

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def find_half_way(connection: BaseDatabaseWrapper) -> list[str]:
    """Names of squashed migrations of which the database has a part, as `memory.0001_squashed_0023_calibration`.

    The migrations that were squashed are not shipped any more: the rest of them can be applied by an earlier version
    alone. Empty for a new database, and for one that has all of them. Reads.
    """
    applied = set(MigrationRecorder(connection).applied_migrations())
    half_way = []
    for (app, name), squashed in MigrationLoader(None).replacements.items():
        present = applied & set(squashed.replaces)
        if present and len(present) < len(squashed.replaces) and (app, name) not in applied:
            half_way.append(f"{app}.{name}")
    return sorted(half_way)
