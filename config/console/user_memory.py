"""What is known about one user, put together for people: facts with their evidence and history, conversations, log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Case, Count, Max, Q, TextField, Value, When

from config.console.pictures import Key, Picture, draw_spans
from config.console.pictures import Span as TimeSpan
from corrections.models import CorrectionLog
from corrections.selectors.log import list_user_corrections
from memory.errors import NotFound
from memory.facts.reading import list_facts, list_facts_by_id
from memory.models import Action, Conversation, FactRow, Message, User
from memory.selectors.messages import list_messages_by_id, list_neighbours
from memory.types import KNOWLEDGE_TYPES, Fact, RecordedMessage, UserRef

MAX_FACTS: Final = 500
MAX_ACTIONS: Final = 2_000
MESSAGES_A_PAGE: Final = 60
ROWS_A_PAGE: Final = 100
STATE_TONES: Final = {"active": "good", "disputed": "warn", "superseded": "soft", "closed": "other", "expired": "other"}
CHANGE_WORDS: Final = {
    "added": "written",
    "superseded": "written in place of the version before",
    "renewed": "said again",
    "deactivated": "closed",
    "stored_inactive": "written as already past",
}


@dataclass(frozen=True, slots=True)
class Profile:
    """The head of a user's pages."""

    user: UserRef
    created_at: datetime
    fenced_at: datetime | None
    log_position: int
    message_count: int
    forgotten_count: int
    last_message_at: datetime | None
    active_facts: int
    disputed_facts: int


@dataclass(frozen=True, slots=True)
class Line:
    """One message of an evidence span."""

    message: RecordedMessage
    is_core: bool


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of evidence: the message with the one before and the one after; no lines when it was forgotten (D-3)."""

    message_id: UUID
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """Which action ended or changed a version: its kind, who and when."""

    change: str
    kind: str
    actor: str
    at: datetime
    message_id: UUID | None

    @property
    def words(self) -> str:
        """What happened to this version, for its timeline."""
        return CHANGE_WORDS.get(self.change, self.change.replace("_", " "))


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a key, with what was done to it."""

    fact: Fact
    state: str
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class FactCard:
    """A key: its newest version, that version's evidence, and all its versions, newest first."""

    fact: Fact
    state: str
    spans: tuple[Span, ...]
    versions: tuple[Version, ...]
    picture: Picture | None = None
    """When each version held, where there are several."""


@dataclass(slots=True)
class FactGroup:
    """Cards of one type."""

    knowledge_type: str
    cards: list[FactCard] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The type in words."""
        return self.knowledge_type.replace("_", " ").capitalize()


def get_profile(*, tenant_id: UUID, user_id: UUID) -> Profile:
    """The head of a user's pages. Raises NotFound. Three statements."""
    row = User.objects.filter(tenant_id=tenant_id, id=user_id).first()
    if row is None:
        raise NotFound("There is no such user in this tenant.")
    said = Message.objects.filter(user_id=user_id).aggregate(
        total=Count("id"), forgotten=Count("id", filter=~Q(forgotten_at=None)), last=Max("created_at")
    )
    known = FactRow.objects.filter(user_id=user_id, is_active=True).aggregate(
        active=Count("id"), disputed=Count("id", filter=Q(is_disputed=True))
    )
    return Profile(
        user=UserRef(id=row.id, tenant_id=tenant_id, external_id=row.external_id),
        created_at=row.created_at,
        fenced_at=row.fenced_at,
        log_position=row.log_position,
        message_count=said["total"],
        forgotten_count=said["forgotten"],
        last_message_at=said["last"],
        active_facts=known["active"],
        disputed_facts=known["disputed"],
    )


# --- facts ------------------------------------------------------------------------------------------------------------


def list_fact_groups(*, user: UserRef, now: datetime) -> tuple[list[FactGroup], list[FactGroup]]:
    """Every key of the user by type: those with an active fact, then those that have none any more."""
    facts = list_facts(user=user, include_inactive=True, now=now, limit=MAX_FACTS)
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
        picture=draw_timeline(cards, now=now) if len(cards) > 1 else None,
    )


def draw_timeline(versions: Sequence[Version], *, now: datetime) -> Picture | None:
    """When each version of a key held, the oldest first. Pure."""
    held = [(one, one.fact.valid_at, max(one.fact.valid_at, one.fact.invalid_at or now)) for one in reversed(versions)]
    spans = [
        TimeSpan(
            str(one.fact.value),
            start.timestamp(),
            end.timestamp(),
            STATE_TONES.get(one.state, "other"),
            f"{start:%d %b %Y} – {f'{end:%d %b %Y}' if one.fact.invalid_at else 'now'}, {one.state}",
        )
        for one, start, end in held
    ]
    first, last = min(start for _, start, _ in held), max(end for _, _, end in held)
    states = dict.fromkeys(one.state for one in versions)
    return draw_spans(
        name=f"key-{versions[0].fact.id}",
        title="When each version held",
        spans=spans,
        ends=(f"{first:%d %b %Y}", f"{last:%d %b %Y}"),
        unit="Value",
        keys=[Key(STATE_TONES.get(state, "other"), state) for state in states],
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
    for action in Action.objects.filter(user_id=user.id).order_by("-position")[:MAX_ACTIONS]:
        for effect in action.effects:
            cause = Cause(effect["action"], action.kind, action.actor, action.recorded_at, action.message_id)
            causes.setdefault(UUID(effect["fact_id"]), []).insert(0, cause)
    return causes


# --- messages ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MessagePage:
    """A run of one conversation, oldest first. `older` is where the run before it ends; None at the beginning."""

    conversations: list[Conversation]
    chosen: Conversation | None
    messages: list[dict[str, Any]]
    older: int | None


def list_message_page(*, user: UserRef, conversation_id: UUID | None, before_seq: int | None) -> MessagePage:
    """The last messages of a conversation, or those before a place in it. The text of forgotten ones is not read."""
    rows = Conversation.objects.filter(user_id=user.id).order_by("-last_message_at", "-id")
    conversations = list(rows[:ROWS_A_PAGE])
    chosen = next(
        (one for one in conversations if one.id == conversation_id), conversations[0] if conversations else None
    )
    if chosen is None:
        return MessagePage(conversations, None, [], None)
    said = Message.objects.filter(user_id=user.id, conversation_id=chosen.id)
    if before_seq is not None:
        said = said.filter(seq__lt=before_seq)
    text = Case(When(forgotten_at=None, then="content"), default=Value(""), output_field=TextField())
    fields = ("id", "seq", "role", "speaker", "created_at", "language", "memory_type", "forgotten_at", "replaces_id")
    page = list(said.order_by("-seq").values(*fields, text=text)[: MESSAGES_A_PAGE + 1])
    older = page[MESSAGES_A_PAGE - 1]["seq"] if len(page) > MESSAGES_A_PAGE else None
    return MessagePage(conversations, chosen, page[:MESSAGES_A_PAGE][::-1], older)


def list_taught_messages(*, user: UserRef, message_ids: Sequence[UUID]) -> dict[UUID, Counter[str]]:
    """What each message did to facts: changes with how many there were, for the marks beside it."""
    taught: dict[UUID, Counter[str]] = {}
    for action in Action.objects.filter(user_id=user.id, message_id__in=message_ids).order_by("position"):
        if action.message_id is not None:
            changes = (effect["action"].replace("_", " ") for effect in action.effects)
            taught.setdefault(action.message_id, Counter()).update(changes)
    return taught


# --- corrections ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CorrectionCard:
    """One row of the correction log with both messages and the facts it touched; forgotten messages are None."""

    row: CorrectionLog
    answered: RecordedMessage | None
    said: RecordedMessage | None
    effects: tuple[tuple[str, Fact | None], ...]

    @property
    def title(self) -> str:
        """The type in words."""
        return self.row.correction_type.replace("_", " ").capitalize()


def list_correction_cards(*, user: UserRef) -> list[CorrectionCard]:
    """What the user said was wrong, newest first. Three statements."""
    return make_correction_cards(user=user, rows=list_user_corrections(user=user, limit=ROWS_A_PAGE))


def make_correction_cards(*, user: UserRef, rows: Sequence[CorrectionLog]) -> list[CorrectionCard]:
    """These rows of the user's log with their messages and facts. Two statements."""
    said_ids = {mid for row in rows for mid in (row.trigger_message_id, row.corrected_message_id) if mid}
    messages = list_messages_by_id(user=user, message_ids=said_ids)
    facts = list_facts_by_id(user=user, fact_ids={fid for row in rows for _, fid in list_effects(row)})
    return [
        CorrectionCard(
            row=row,
            answered=messages.get(row.corrected_message_id) if row.corrected_message_id else None,
            said=messages.get(row.trigger_message_id),
            effects=tuple((name, facts.get(fact_id)) for name, fact_id in list_effects(row)),
        )
        for row in rows
    ]


def list_effects(row: CorrectionLog) -> list[tuple[str, UUID]]:
    """What a correction did, as names with fact ids. Pure."""
    named = (
        ("closed", row.deactivated_knowledge_id),
        ("disputed", row.disputed_knowledge_id),
        ("set", row.set_knowledge_id),
    )
    return [(name, fact_id) for name, fact_id in named if fact_id is not None]


# --- log --------------------------------------------------------------------------------------------------------------


def list_actions(*, user: UserRef, before: int | None) -> list[Action]:
    """A page of the action log, newest first."""
    rows = Action.objects.filter(user_id=user.id).defer("sealed").order_by("-position")
    return list((rows.filter(position__lt=before) if before else rows)[:ROWS_A_PAGE])
