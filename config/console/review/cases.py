"""The correction log for people: rates by language and type, the cases behind them, golden cases (SPEC C-2, C-3)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from config.console.pages import console_page, render_page
from config.console.review.case_form import CaseKind, CaseSubject, edit_case
from config.console.review.downloads import answer_file
from config.parameters import choose_days, find_id
from corrections.models import CorrectionLog, GoldenCase
from corrections.review.golden import (
    LANGUAGES,
    GoldenDraft,
    build_content,
    check_golden_case,
    export_golden_cases,
    find_golden_case,
    write_golden_case,
)
from corrections.selectors.cards import CorrectionCard, make_correction_cards
from corrections.selectors.log import CorrectionFilter, get_correction, list_corrections
from corrections.selectors.rates import list_daily_corrections, list_rates_by_language
from memory.errors import NotFound
from memory.profile.summary import get_profile
from memory.tenants.access import get_access, has_permission, record_view
from memory.types import CORRECTION_TYPES, Fact

PERIODS: Final = (7, 30, 90)
CASES_A_PAGE: Final = 20
OF_CORRECTIONS: Final = CaseKind(
    draft=GoldenDraft,
    build=build_content,
    check=check_golden_case,
    template="console/review/case.html",
    list_page="console:correction_cases",
    view_action="correction.view_case",
    object_type="correction",
)


@dataclass(frozen=True, slots=True)
class RateRow:
    """One language: user messages, correcting ones, and how many of each type."""

    language: str
    user_messages: int
    corrections: int
    by_type: tuple[tuple[str, int], ...]

    @property
    def percent(self) -> float | None:
        """Correcting messages in a hundred user messages; None where nothing was said."""
        return 100 * self.corrections / self.user_messages if self.user_messages else None


@console_page("view_user_memory", "audit")
def show_rates(request: HttpRequest) -> HttpResponseBase:
    """How often users correct memory, by language and type: counts, no text."""
    access, now = get_access(request), timezone.now()
    days = choose_days(request.GET.get("days", ""), PERIODS, default=PERIODS[1])
    since = now - timedelta(days=days)
    tenant_id, zone = access.tenant.id, ZoneInfo(access.tenant.timezone)
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for day in list_daily_corrections(tenant_id=tenant_id, since=since, until=now, zone=zone):
        counts[day.language][day.correction_type] += day.corrections
    rows = [
        RateRow(
            rate.language,
            rate.user_messages,
            rate.corrections,
            tuple((kind, counts[rate.language][kind]) for kind in CORRECTION_TYPES),
        )
        for rate in list_rates_by_language(tenant_id=tenant_id, since=since, until=now)
    ]
    return render_page(
        request,
        "console/review/rates.html",
        title="Corrections by language and type",
        rows=rows,
        types=[kind.replace("_", " ") for kind in CORRECTION_TYPES],
        days=days,
        periods=PERIODS,
        case_count=GoldenCase.objects.filter(tenant_id=tenant_id).count(),
        may_read=has_permission(request, "review_facts"),
    )


@console_page("review_facts")
def show_cases(request: HttpRequest) -> HttpResponseBase:
    """The corrections behind a rate, with the words. Audited under the ids of their users."""
    access, now = get_access(request), timezone.now()
    days = choose_days(request.GET.get("days", ""), PERIODS, default=PERIODS[1])
    wanted = CorrectionFilter(
        correction_type=request.GET.get("type") if request.GET.get("type") in CORRECTION_TYPES else None,
        language=request.GET.get("language", "")[:16] or None,
        since=now - timedelta(days=days),
    )
    rows = list_corrections(
        tenant_id=access.tenant.id, wanted=wanted, after=find_id(request.GET.get("after", "")), limit=CASES_A_PAGE
    )
    cards = _list_cards(access.tenant.id, rows)
    users = list({row.user_id for row in rows})
    record_view(request, action="correction.view_cases", object_type="user", object_ids=users, now=now)
    written = GoldenCase.objects.filter(tenant_id=access.tenant.id, correction_id__in=[row.id for row in rows])
    return render_page(
        request,
        "console/review/cases.html",
        title="Corrections",
        cards=cards,
        wanted=wanted,
        days=days,
        written=set(written.values_list("correction_id", flat=True)),
        older=rows[-1].id if len(rows) == CASES_A_PAGE else None,
    )


@console_page("review_facts")
def write_case(request: HttpRequest, user_id: UUID, correction_id: UUID) -> HttpResponseBase:
    """A reviewer retells a correction as a test case; what the user said stands beside the form (D-27)."""
    access = get_access(request)
    profile = get_profile(tenant_id=access.tenant.id, user_id=user_id)
    if profile.fenced_at:
        raise NotFound("This user is being erased.")
    row = get_correction(user=profile.user, correction_id=correction_id)
    (card,) = _list_cards(access.tenant.id, [row])
    if card.said is None:
        raise NotFound("A message of this correction was forgotten.")

    def write(draft: GoldenDraft) -> object:
        author, now = access.actor_code, timezone.now()
        return write_golden_case(user=profile.user, correction_id=row.id, draft=draft, author=author, now=now)

    subject = CaseSubject(row.id, user_id, partial(_make_draft, card, access.tenant.id), write)
    return edit_case(request, OF_CORRECTIONS, subject, card=card, types=CORRECTION_TYPES)


@console_page("review_facts")
def export_cases(request: HttpRequest) -> HttpResponseBase:
    """The tenant's golden cases as a file of test data."""
    lines = "".join(f"{line}\n" for line in export_golden_cases(tenant_id=get_access(request).tenant.id))
    return answer_file(request, lines, name="golden-cases.jsonl", action="golden.export")


def _list_cards(tenant_id: UUID, rows: list[CorrectionLog]) -> list[CorrectionCard]:
    """Cards of several users in the order of the rows; without users who are being erased."""
    of_user: dict[UUID, list[CorrectionLog]] = defaultdict(list)
    for row in rows:
        of_user[row.user_id].append(row)
    cards: dict[UUID, CorrectionCard] = {}
    for user_id, theirs in of_user.items():
        profile = get_profile(tenant_id=tenant_id, user_id=user_id)
        if not profile.fenced_at:
            cards |= {card.row.id: card for card in make_correction_cards(user=profile.user, rows=theirs)}
    return [cards[row.id] for row in rows if row.id in cards]


def _make_draft(card: CorrectionCard, tenant_id: UUID) -> GoldenDraft:
    """The case as it was stored, or a form with what happened to which fact and both texts to be written."""
    case = find_golden_case(tenant_id=tenant_id, correction_id=card.row.id)
    if case is not None:
        return _read_stored(case)
    touched = [(name, fact) for name, fact in card.effects if fact is not None]
    before = [fact for name, fact in touched if name != "set"]
    words = {"closed": "deactivate", "disputed": "dispute", "set": "set"}
    done = [(words[name], fact) for name, fact in touched]
    if {name for name, _ in done} == {"deactivate", "set"} and len({fact.slot for _, fact in done}) == 1:
        done = [(name, fact) for name, fact in done if name == "set"]
    return GoldenDraft(
        language=card.row.language if card.row.language in LANGUAGES else LANGUAGES[0],
        turn="",
        reply="",
        facts="\n".join(_write_fact(fact) for fact in before),
        operations="\n".join(
            f"set {_write_fact(fact)}" if name == "set" else f"{name} {fact.knowledge_type}/{fact.knowledge_key}"
            for name, fact in done
        ),
        correction_type=card.row.correction_type,
    )


def _read_stored(case: GoldenCase) -> GoldenDraft:
    content: dict[str, Any] = case.content
    return GoldenDraft(
        language=case.language,
        turn=content["assistant"],
        reply=content["user"],
        facts="\n".join(_write_row(row) + (" disputed" if row.get("disputed") else "") for row in content["facts"]),
        operations="\n".join(f"{row['op']} {_write_row(row)}" for row in content["expect"]["ops"]),
        correction_type=content["expect"].get("correction_type", ""),
        note=content.get("note", ""),
    )


def _write_fact(fact: Fact) -> str:
    return f"{fact.knowledge_type}/{fact.knowledge_key} = {fact.value}"


def _write_row(row: dict[str, Any]) -> str:
    value = f" = {row['value']}" if "value" in row else ""
    return f"{row['type']}/{row['key']}{value}"
