"""One item put together for a reviewer: the evidence in its conversation, the fact, what it replaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from config.console.review.marking import find_correction_marks, find_marks
from config.console.rules.samples import Piece, cut_marks
from corrections.models import CorrectionLog, ReviewItem, ReviewVerdict
from corrections.review.remarks import open_remarks
from corrections.review.types import MESSAGE, Remark
from memory.facts.reading import list_facts_by_id
from memory.models import FactRow
from memory.selectors.messages import list_messages_by_id, list_neighbours, list_previous_messages
from memory.types import Fact, RecordedMessage, UserRef
from patterns.registry import get_rule_set

MESSAGES_BEFORE: Final = 3
MAX_EXCERPTS: Final = 4
OPERATION_WORDS: Final = {
    "ADD": "learnt",
    "UPDATE": "changed",
    "REMOVE": "closed",
    "CONFIRM": "confirmed",
    "DISPUTE": "disputed",
}
SOURCE_WORDS: Final = {
    "instant": "instant rule",
    "extraction": "extraction",
    "correction": "correction",
    "message": "no facts",
}


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """A verdict that stands on an item, with what its reviewer added."""

    row: ReviewVerdict
    remark: Remark


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """A message of the conversation; the evidence is cut into marked and plain pieces."""

    message: RecordedMessage
    is_evidence: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ItemCard:
    """All that a reviewer sees of an item. `token` goes back with the verdict."""

    item: ReviewItem
    excerpts: tuple[tuple[ReviewLine, ...], ...]
    more_evidence: int
    fact: Fact | None
    replaced: Fact | None
    correction: CorrectionLog | None
    token: UUID
    given: tuple[GivenVerdict, ...] = ()
    """The verdicts of an item that is decided."""

    @property
    def is_decided(self) -> bool:
        """Whether its verdict stands: it is shown, and judged again when somebody asks for it."""
        return self.item.state == "decided"

    @property
    def is_message(self) -> bool:
        """Whether the question is what was missed."""
        return self.item.source == MESSAGE

    @property
    def may_have_value(self) -> bool:
        """Whether a reviewer can say what would have been right."""
        return self.is_message or self.fact is not None

    @property
    def operation(self) -> str:
        """What memory did, in a word."""
        return OPERATION_WORDS.get(self.item.operation, self.item.operation.lower())

    @property
    def source(self) -> str:
        """Where it came from, in words."""
        return SOURCE_WORDS[self.item.source]

    @property
    def correction_words(self) -> str:
        """The type of the correction that is judged, in words."""
        return self.correction.correction_type.replace("_", " ") if self.correction else ""


def make_item_card(*, item: ReviewItem, zone: ZoneInfo) -> ItemCard:
    """Read what belongs to an item. In the tenant's scope."""
    user = UserRef(id=item.user_id, tenant_id=item.tenant_id)
    fact, replaced = _find_facts(user, item)
    correction = None
    if item.correction_id is not None:
        correction = CorrectionLog.objects.filter(user_id=user.id, id=item.correction_id).first()
    evidence = list(item.evidence_message_ids)
    shown = evidence[-MAX_EXCERPTS:]
    return ItemCard(
        item=item,
        excerpts=_list_excerpts(user, item, shown, fact, zone),
        more_evidence=len(evidence) - len(shown),
        fact=fact,
        replaced=replaced,
        correction=correction,
        token=uuid4(),
        given=list_given(item) if item.state == "decided" else (),
    )


def list_given(item: ReviewItem) -> tuple[GivenVerdict, ...]:
    """The standing verdicts of an item, oldest first."""
    rows = list(ReviewVerdict.objects.filter(user_id=item.user_id, item_id=item.id, undone_at=None).order_by("id"))
    remarks = open_remarks(rows)
    return tuple(GivenVerdict(row, remarks.get(row.id, Remark())) for row in rows)


def _find_facts(user: UserRef, item: ReviewItem) -> tuple[Fact | None, Fact | None]:
    """The fact, and the version whose place it took."""
    if item.fact_id is None:
        return None, None
    before = FactRow.objects.filter(user_id=user.id, superseded_by=item.fact_id).values_list("id", flat=True).first()
    found = list_facts_by_id(user=user, fact_ids=[each for each in (item.fact_id, before) if each])
    return found.get(item.fact_id), found.get(before) if before else None


def _list_excerpts(
    user: UserRef, item: ReviewItem, shown: list[UUID], fact: Fact | None, zone: ZoneInfo
) -> tuple[tuple[ReviewLine, ...], ...]:
    found = list_messages_by_id(user=user, message_ids=shown)
    after = list_neighbours(user=user, message_ids=list(found))
    excerpts: list[tuple[ReviewLine, ...]] = []
    told: set[UUID] = set()
    for core in sorted(found.values(), key=lambda message: (message.created_at, message.seq)):
        if core.id in told:
            continue
        before = list_previous_messages(
            user=user,
            conversation_id=core.conversation_id,
            before=core.created_at,
            before_seq=core.seq,
            limit=MESSAGES_BEFORE,
        )
        next_ones = [one for one in after[core.id] if (one.created_at, one.seq) > (core.created_at, core.seq)]
        lines = [message for message in [*reversed(before), core, *next_ones] if message.id not in told]
        told |= {message.id for message in lines}
        excerpts.append(tuple(_make_line(message, found, item, fact, zone) for message in lines))
    return tuple(excerpts)


def _make_line(
    message: RecordedMessage,
    evidence: dict[UUID, RecordedMessage],
    item: ReviewItem,
    fact: Fact | None,
    zone: ZoneInfo,
) -> ReviewLine:
    is_evidence = message.id in evidence
    marks: list[tuple[int, int]] = []
    if is_evidence and item.source == "correction":
        rule_set = get_rule_set(tenant_id=item.tenant_id)
        marks = find_correction_marks(message.content, fact=fact, rule_set=rule_set)
    elif is_evidence and fact is not None:
        rule_set, said_at = get_rule_set(tenant_id=item.tenant_id), message.created_at.astimezone(zone)
        marks = find_marks(message.content, fact=fact, rule_set=rule_set, said_at=said_at)
    return ReviewLine(message, is_evidence, tuple(cut_marks(message.content, marks)))
