"""What the files of the database still hold: written anew by maintenance, and judged by what that recorded (D-30).

A DELETE hides rows and leaves their bytes in the file until it is written anew, and in the log until its segments are
gone. `rewrite_storage` does both as far as its role may; what it could not do or see is said, never assumed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import psycopg
from django.apps import apps
from django.conf import settings
from psycopg import sql

from memory.database.statements import fetch_row, fetch_rows
from memory.ids import new_id
from memory.registries import erasers, rewritten_models

NOT_CHECKED: Final = "not checked"
STATISTICS: Final = ("pg_statistic",)
"""Samples of columns: they are written anew with the tables they are of."""
_KEPT: Final = re.compile(r"(\d+) dead row versions cannot be removed yet")
_SEGMENT: Final = re.compile(r"[0-9A-F]{24}")
LARGEST_SWITCHES: Final = 1_024
LOCK_TIMEOUT: Final = "10s"  # whoever waits for a whole table makes everybody behind it wait too


@dataclass(frozen=True, slots=True)
class RewriteReport:
    """What one maintenance run did. `wal_kept_from` is None when the log's files can't be listed."""

    relations: dict[str, int | None] = field(default_factory=dict)
    """By table: erased rows that an old transaction kept alive; None when the server did not say."""
    wal_kept_from: str | None = None
    remarks: tuple[str, ...] = ()


def list_relations() -> list[str]:
    """The tables that erasers answer for, by name."""
    labels = {label for eraser in erasers for label in eraser.models}
    return sorted(apps.get_model(label)._meta.db_table for label in labels)


def list_rewritten() -> list[str]:
    """The same, and the tables without users from which something may be deleted for good."""
    shared = {apps.get_model(label)._meta.db_table for label in rewritten_models}
    return sorted({*list_relations(), *shared})


def rewrite_storage(*, maintenance: psycopg.Connection[Any], relations: Sequence[str], now: datetime) -> RewriteReport:
    """Write the tables anew and let the log's old files go, as far as the role may; record it. Locks table by table.

    `maintenance` is an autocommit connection as the owner or a superuser. Raises psycopg's LockNotAvailable when a
    table is in use for longer than ten seconds; what was rewritten until then is not recorded and harmless.
    """
    maintenance.execute(sql.SQL("SET lock_timeout TO {}").format(sql.Literal(LOCK_TIMEOUT)))
    remarks: list[str] = []
    if not _await_older_writers(maintenance):
        remarks.append("a transaction older than this run was still writing: what it may see was kept")
    rewritten = {relation: _rewrite(maintenance, relation) for relation in relations}
    if not _clear_statistics(maintenance, relations):
        remarks.append("the planner's statistics were not cleared: the server is older than PostgreSQL 18")
    for catalogue in STATISTICS:
        try:
            maintenance.execute(sql.SQL("VACUUM (FULL) {}").format(sql.Identifier(catalogue)))
        except psycopg.errors.InsufficientPrivilege:
            remarks.append(f"{catalogue} was not rewritten: the role may not")
    kept_from = _clear_log(maintenance, remarks)
    for relation, (began, kept) in rewritten.items():
        maintenance.execute(
            "INSERT INTO storage_rewrite (id, relation, began_lsn, finished_at, dead_rows_kept, wal_kept_from)"
            " VALUES (%s, %s, %s::pg_lsn, %s, %s, %s::pg_lsn)",
            [new_id(), relation, began, now, kept, kept_from],
        )
    return RewriteReport(
        relations={relation: kept for relation, (_, kept) in rewritten.items()},
        wal_kept_from=kept_from,
        remarks=tuple(remarks),
    )


def judge_storage(*, user_id: UUID, erasure_id: UUID) -> dict[str, str]:
    """By table, and for `log`: what is known of the bytes that an erasure left behind. Reads only.

    `clean` begins a sentence that says since when; anything else is a reason to wait or to look oneself.
    """
    tables = fetch_rows(_JUDGE_TABLES, [list_relations(), user_id, erasure_id])
    verdicts = {row[0]: _say_table(*row[1:]) for row in tables}
    return {**verdicts, "log": _say_log(fetch_row(_JUDGE_LOG, [user_id, erasure_id]))}


def is_clean(verdicts: dict[str, str]) -> bool:
    """Whether every table was written anew since, and the log is gone or can't be seen."""
    return all(
        said.startswith("clean") or (name == "log" and said.startswith(NOT_CHECKED)) for name, said in verdicts.items()
    )


_JUDGE_TABLES = """
SELECT wanted.relation, last.finished_at, last.dead_rows_kept
  FROM unnest(%s::text[]) AS wanted (relation)
  LEFT JOIN LATERAL (
    SELECT r.finished_at, r.dead_rows_kept FROM storage_rewrite r
      JOIN erasure_request e ON e.user_id = %s AND e.id = %s AND r.began_lsn >= e.completed_lsn
     WHERE r.relation = wanted.relation ORDER BY r.dead_rows_kept NULLS LAST, r.began_lsn LIMIT 1) last ON true
"""
_JUDGE_LOG = """
SELECT r.finished_at, seen.kept_from IS NOT NULL, seen.kept_from > r.began_lsn FROM storage_rewrite r
  JOIN erasure_request e ON e.user_id = %s AND e.id = %s AND r.began_lsn >= e.completed_lsn
 -- A role that can't clear the log sees a night later that it has gone on.
 CROSS JOIN (SELECT max(l.wal_kept_from) AS kept_from FROM storage_rewrite l) seen
 ORDER BY (seen.kept_from > r.began_lsn) DESC NULLS LAST, r.finished_at LIMIT 1
"""


def _say_table(finished_at: datetime | None, dead_rows_kept: int | None) -> str:
    if finished_at is None:
        return "not rewritten since the erasure"
    if dead_rows_kept is None:
        return f"{NOT_CHECKED}: rewritten at {finished_at.isoformat()}, the server did not say what it kept"
    if dead_rows_kept:
        return f"rewritten at {finished_at.isoformat()} while an old transaction kept {dead_rows_kept} erased rows"
    return f"clean: rewritten at {finished_at.isoformat()}"


def _say_log(row: tuple[datetime, bool, bool | None] | None) -> str:
    if row is None:
        return "not rewritten since the erasure"
    finished_at, was_listed, is_gone = row
    if not was_listed:
        return f"{NOT_CHECKED}: the maintenance role could not list the files of the write-ahead log"
    return f"clean: gone at {finished_at.isoformat()}" if is_gone else "older files of the write-ahead log were kept"


def _await_older_writers(maintenance: psycopg.Connection[Any]) -> bool:
    """Wait for transactions that write and are older than this moment, in any database of the server; False when they
    take longer than half a minute. A rewrite keeps whatever such a one might still have to see.
    """
    now = _fetch(maintenance, "SELECT pg_current_xact_id()::text")
    for _ in range(int(settings.UNDE_TUNING.REWRITE_PATIENCE_SECONDS / 0.25)):
        if _fetch(maintenance, "SELECT pg_snapshot_xmin(pg_current_snapshot()) > %s::xid8", [now]):
            return True
        time.sleep(0.25)
    return False


def _rewrite(maintenance: psycopg.Connection[Any], relation: str) -> tuple[str, int | None]:
    began = _fetch(maintenance, "SELECT pg_current_wal_insert_lsn()::text")
    said: list[str] = []

    def listen(diagnostic: psycopg.errors.Diagnostic) -> None:
        said.append(diagnostic.message_detail or "")

    maintenance.add_notice_handler(listen)
    try:
        maintenance.execute(sql.SQL("VACUUM (FULL, VERBOSE) {}").format(sql.Identifier(relation)))
    finally:
        maintenance.remove_notice_handler(listen)
    kept = [int(found[1]) for text in said for found in _KEPT.finditer(text)]
    return began, sum(kept) if kept else None


def _clear_statistics(maintenance: psycopg.Connection[Any], relations: Sequence[str]) -> bool:
    """Drop the samples of the tables' columns and take new ones: ANALYZE keeps the old ones where a table is empty."""
    if not _fetch(maintenance, "SELECT to_regproc('pg_clear_attribute_stats') IS NOT NULL"):
        return False
    for relation in relations:
        maintenance.execute(_DROP_SAMPLES, {"relation": relation})
        maintenance.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(relation)))
    return True


_DROP_SAMPLES = """
SELECT pg_clear_attribute_stats(schemaname => c.relnamespace::regnamespace::text, relname => c.relname::text,
                                attname => a.attname::text, inherited => kind.is_inherited)
  FROM (SELECT %(relation)s::text::regclass AS id
         UNION SELECT t.relid FROM pg_partition_tree(%(relation)s::text::regclass) t) part
  JOIN pg_class c ON c.oid = part.id
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 CROSS JOIN (VALUES (false), (true)) AS kind (is_inherited)
"""


def _clear_log(maintenance: psycopg.Connection[Any], remarks: list[str]) -> str | None:
    """Fill and drop the log's old segments where the role may; the position from which files are left, None unseen."""
    may_list = _fetch(maintenance, "SELECT has_function_privilege('pg_ls_waldir()', 'EXECUTE')")
    if not _fetch(maintenance, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"):
        remarks.append("the write-ahead log was not cleared: that needs a superuser (UNDE_MAINTENANCE_DATABASE_URL)")
        return _find_oldest_position(maintenance) if may_list else None
    # A recycled segment is an old one under a new name, with its old bytes in it until it is written over.
    maintenance.execute("ALTER SYSTEM SET wal_recycle TO off")
    try:
        _reload(maintenance)
        maintenance.execute("CHECKPOINT")
        for _ in range(min(len(_list_future_segments(maintenance)) + 1, LARGEST_SWITCHES)):
            maintenance.execute("SELECT pg_logical_emit_message(false, 'unde', 'rewrite')")
            maintenance.execute("SELECT pg_switch_wal()")
        maintenance.execute("CHECKPOINT")
        return _find_oldest_position(maintenance)
    finally:
        maintenance.execute("ALTER SYSTEM RESET wal_recycle")
        maintenance.execute("SELECT pg_reload_conf()")


def _reload(maintenance: psycopg.Connection[Any]) -> None:
    maintenance.execute("SELECT pg_reload_conf()")
    for _ in range(50):
        if _fetch(maintenance, "SELECT setting FROM pg_settings WHERE name = %s", ["wal_recycle"]) == "off":
            break
        time.sleep(0.05)
    # The checkpointer takes the setting in at its own pace.
    time.sleep(0.3)


def _find_oldest_position(maintenance: psycopg.Connection[Any]) -> str:
    """Where the oldest file of the log begins; the very beginning while recycled files may hold older bytes."""
    if _list_future_segments(maintenance):
        return "0/0"
    size = _fetch(maintenance, "SELECT setting::bigint FROM pg_settings WHERE name = 'wal_segment_size'")
    oldest = min(_list_segments(maintenance))
    position = int(oldest[8:16], 16) * 2**32 + int(oldest[16:], 16) * size
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"


def _list_future_segments(maintenance: psycopg.Connection[Any]) -> list[str]:
    current = _fetch(maintenance, "SELECT pg_walfile_name(pg_current_wal_insert_lsn())")
    return [name for name in _list_segments(maintenance) if name > current]


def _list_segments(maintenance: psycopg.Connection[Any]) -> list[str]:
    rows: Iterable[tuple[str]] = maintenance.execute("SELECT name FROM pg_ls_waldir()").fetchall()
    return [name for (name,) in rows if _SEGMENT.fullmatch(name)]


def _fetch(maintenance: psycopg.Connection[Any], statement: str, parameters: Sequence[Any] = ()) -> Any:
    row = maintenance.execute(statement, parameters).fetchone()
    return row[0] if row else None
