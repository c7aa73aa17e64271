"""The start page: what is going on in the tenant (SPEC H-1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.module_loading import import_string

from config.console.drawing.bars import Bar, describe_change, make_bars
from corrections.selectors.rates import count_corrections, list_daily_corrections
from memory.selectors import figures
from memory.tenants.access import StaffAccess
from memory.tenants.models import AuditEvent
from retrieval.index.backlog import VECTORS

CHART_DAYS: Final = 14
RECENT_EVENTS: Final = 8
LANGUAGE_TONES: Final = {"ru": "primary", "en": "info", "ar": "warn", "arabizi": "good", "mixed": "soft"}
_TABLES: Final = (
    ("New users", "group_add", "memory_user"),
    ("Facts written", "fact_check", "user_knowledge"),
    ("Searches and packs", "receipt_long", "retrieval_receipt"),
)


@dataclass(frozen=True, slots=True)
class Tile:
    """A number of today beside that of yesterday."""

    name: str
    icon: str
    today: int | None
    change: str
    tone: str


def fill_dashboard(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the start page's figures to unfold's context (UNFOLD["DASHBOARD_CALLBACK"]). Reads only."""
    access = getattr(request, "staff_access", None)
    if not isinstance(access, StaffAccess):
        return context
    now = timezone.now()
    zone = ZoneInfo(access.tenant.timezone)
    days = figures.read_figure(
        access.tenant.id,
        lambda: figures.count_messages_by_day(tenant_id=access.tenant.id, zone=zone, now=now, days=CHART_DAYS),
    )
    facts = figures.read_figure(access.tenant.id, lambda: figures.count_facts_by_type(tenant_id=access.tenant.id))
    context.update(
        title=access.tenant.name,
        tiles=[_make_message_tile(days), *_list_tiles(access.tenant.id, zone, now)],
        message_bars=_make_message_bars(days),
        fact_bars=_make_fact_bars(facts),
        facts_total=sum(row.active for row in facts or []),
        queues=figures.read_figure(access.tenant.id, partial(_list_queues, access.tenant.id)),
        correction_bars=list_correction_bars(access.tenant.id, zone, now),
        language_tones=LANGUAGE_TONES,
        events=_list_events(access),
        features=[(name, import_string(path)()) for name, path in getattr(settings, "FEATURE_PROBES", {}).items()],
        is_first_run=days is not None and facts is not None and not facts and not any(day.total for day in days),
        base_url=request.build_absolute_uri("/").rstrip("/"),
        now=now,
    )
    return context


def _list_queues(tenant_id: UUID) -> list[figures.Queue]:
    return figures.list_queues(tenant_id=tenant_id, questions=(VECTORS, *figures.QUEUES))


def _make_message_tile(days: list[figures.DayCount] | None) -> Tile:
    return _make_tile("Messages", "forum", (days[-1].total, days[-2].total) if days else None)


def _list_tiles(tenant_id: UUID, zone: ZoneInfo, now: datetime) -> list[Tile]:
    tiles = []
    for name, icon, table in _TABLES:
        count = partial(figures.count_new_rows, table=table, tenant_id=tenant_id, zone=zone, now=now)
        tiles.append(_make_tile(name, icon, figures.read_figure(tenant_id, count)))
    corrections = figures.read_figure(tenant_id, partial(_count_corrections, tenant_id, zone, now))
    return [*tiles, _make_tile("Corrections", "rule", corrections)]


def _make_tile(name: str, icon: str, counts: tuple[int, int] | None) -> Tile:
    if counts is None:
        return Tile(name, icon, None, "", "same")
    return Tile(name, icon, counts[0], *describe_change(*counts))


def _count_corrections(tenant_id: UUID, zone: ZoneInfo, now: datetime) -> tuple[int, int]:
    today, yesterday = (figures.get_day_start(now, zone, days_ago=ago) for ago in (0, 1))
    return (
        count_corrections(tenant_id=tenant_id, since=today, until=now),
        count_corrections(tenant_id=tenant_id, since=yesterday, until=today),
    )


def _make_message_bars(days: list[figures.DayCount] | None) -> list[Bar]:
    return make_bars(
        [
            (
                f"{day.day:%d}",
                f"{day.day:%A, %d %B}: {day.user} from users, {day.assistant} from others",
                [("primary", day.user), ("soft", day.assistant)],
            )
            for day in days or []
        ]
    )


def _make_fact_bars(facts: list[figures.TypeCount] | None) -> list[Bar]:
    return make_bars(
        [
            (
                row.knowledge_type.replace("_", " "),
                f"{row.active} active, {row.disputed} disputed",
                [("primary", row.active - row.disputed), ("warn", row.disputed)],
            )
            for row in facts or []
        ]
    )


def list_correction_bars(tenant_id: UUID, zone: ZoneInfo, now: datetime) -> list[Bar]:
    """Correcting messages of the last fortnight by type, each bar cut by language."""
    rows = figures.read_figure(
        tenant_id,
        lambda: list_daily_corrections(
            tenant_id=tenant_id, since=figures.get_day_start(now, zone, days_ago=CHART_DAYS - 1), until=now, zone=zone
        ),
    )
    counts: dict[str, Counter[str]] = {}
    for row in rows or []:
        counts.setdefault(row.correction_type, Counter())[row.language] += row.corrections
    return make_bars(
        [
            (
                name.replace("_", " "),
                ", ".join(f"{language}: {count}" for language, count in by_language.most_common()),
                [(LANGUAGE_TONES.get(language, "other"), count) for language, count in sorted(by_language.items())],
            )
            for name, by_language in sorted(counts.items(), key=lambda item: -item[1].total())
        ]
    )


def _list_events(access: StaffAccess) -> list[AuditEvent]:
    """The latest entries of the audit trail that changed something, for those who may read it."""
    if not access.has_permission("audit"):
        return []
    rows = AuditEvent.objects.filter(tenant_id=access.tenant.id).exclude(action__contains=".view")
    return list(rows.order_by("-happened_at", "-id")[:RECENT_EVENTS])
