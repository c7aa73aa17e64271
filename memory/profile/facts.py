"""What is known about one user: facts by type, each with its evidence and the versions of its key."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.conf import settings

from memory.facts.reading import list_facts
from memory.models import Action
from memory.profile.types import Adjusted, Cause, FactCard, FactGroup, Line, Span, Version
from memory.selectors.messages import list_messages_by_id, list_neighbours
from memory.types import KNOWLEDGE_TYPES, Fact, UserRef


def list_fact_groups(*, user: UserRef, now: datetime) -> tuple[list[FactGroup], list[FactGroup]]:
    """Every key of the user by type: those with an active fact, then those that have none any more."""
    facts = list_facts(user=user, include_inactive=True, now=now, limit=settings.UNDE_TUNING.SHOWN_FACTS)
    keys: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        keys.setdefault(fact.slot, []).append(fact)
    newest = {slot: get_newest(versions) for slot, versions in keys.items()}
    spans = list_spans(user=user, message_ids={mid for fact in newest.values() for mid in fact.evidence_message_ids})
    causes = list_causes(user=user)
    cards = [make_card(newest[slot], versions, spans, causes, now) for slot, versions in keys.items()]
    return (
        group_cards(card for card in cards if card.fact.is_active),
        group_cards(card for card in cards if not card.fact.is_active),
    )


def get_newest(versions: Iterable[Fact]) -> Fact:
    """The version that stands for a key: the active one, else the last that was said (D-2)."""
    return max(versions, key=lambda fact: (fact.is_active, fact.valid_at, fact.log_position))


def make_card(
    fact: Fact,
    versions: Iterable[Fact],
    spans: dict[UUID, Span],
    causes: dict[UUID, list[Cause]],
    now: datetime,
) -> FactCard:
    """A card for people. Pure."""
    ordered = sorted(versions, key=lambda one: (one.valid_at, one.version, one.log_position), reverse=True)
    cards = tuple(Version(one, name_state(one, now), tuple(causes.get(one.id, ()))) for one in ordered)
    return FactCard(
        fact=fact,
        state=name_state(fact, now),
        spans=tuple(spans[mid] for mid in fact.evidence_message_ids if mid in spans),
        versions=cards,
    )


def name_state(fact: Fact, now: datetime) -> str:
    """active, disputed, expired, superseded or closed. Pure."""
    if fact.is_active and fact.expires_at is not None and fact.expires_at <= now:
        return "expired"
    if fact.is_active:
        return "disputed" if fact.is_disputed else "active"
    if fact.superseded_by:
        return "superseded"
    return "expired" if fact.expires_at is not None and fact.invalid_at == fact.expires_at else "closed"


def group_cards(cards: Iterable[FactCard]) -> list[FactGroup]:
    """Cards by type, types in the order of the product's own list. Pure."""
    groups = {name: FactGroup(name) for name in KNOWLEDGE_TYPES}
    for card in cards:
        groups[card.fact.knowledge_type].cards.append(card)
    return [group for group in groups.values() if group.cards]


def list_spans(*, user: UserRef, message_ids: Iterable[UUID]) -> dict[UUID, Span]:
    """Each message with its neighbours, in the order in which they were said. Two statements for all of them."""
    wanted = list(message_ids)
    if not wanted:
        return {}
    found = list_messages_by_id(user=user, message_ids=wanted)
    neighbours = list_neighbours(user=user, message_ids=list(found))
    spans = {}
    for message_id in wanted:
        core = found.get(message_id)
        around = [*neighbours[message_id], core] if core else []
        ordered = sorted(around, key=lambda message: (message.created_at, message.seq))
        spans[message_id] = Span(message_id, tuple(Line(one, one.id == message_id) for one in ordered))
    return spans


def list_causes(*, user: UserRef) -> dict[UUID, list[Cause]]:
    """What was done to each fact, oldest first: why a version ended is read here (D-1)."""
    causes: dict[UUID, list[Cause]] = {}
    for action in Action.objects.filter(user_id=user.id).order_by("-position")[: settings.UNDE_TUNING.SHOWN_ACTIONS]:
        for effect in action.effects:
            adjusted = read_adjustment(action)
            cause = Cause(effect["action"], action.kind, action.actor, action.recorded_at, action.message_id, adjusted)
            causes.setdefault(UUID(effect["fact_id"]), []).insert(0, cause)
    return causes


def read_adjustment(action: Action) -> Adjusted | None:
    """What a calibration says of itself; None for any other action. Pure."""
    if action.kind != "calibrate" or "rule" not in action.detail:
        return None
    detail = action.detail
    return Adjusted(
        at=action.recorded_at,
        rule=detail["rule"],
        uses=detail.get("uses", 0),
        positive=detail.get("positive", 0),
        corrected=detail.get("corrected", 0),
        before=detail["before"],
        after=detail["after"],
    )


def list_adjustments(*, user: UserRef, fact_ids: Iterable[UUID]) -> dict[UUID, list[Adjusted]]:
    """How feedback moved the confidence of each of these facts, oldest first (SPEC P-9).

    Index: calibrations_of_a_fact.
    """
    names = [str(fact_id) for fact_id in fact_ids]
    found: dict[UUID, list[Adjusted]] = {UUID(name): [] for name in names}
    rows = Action.objects.filter(user_id=user.id, kind="calibrate", detail__fact_id__in=names)
    for action in rows.order_by("position"):
        if (adjusted := read_adjustment(action)) is not None:
            found[UUID(action.detail["fact_id"])].append(adjusted)
    return found
