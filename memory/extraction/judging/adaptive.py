"""The adaptive policy: preferences and habits, judged as strictly as facts and kept apart from them (SPEC X-7). Pure.

An item holds the user's own words and no paraphrase. It is never sure (D-5): a preference that was declared counts 0.5
at most, a habit 0.6, and both fade with the time since they were last said (SPEC S-3). Packs word them as guesses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.extraction.judging.clauses import MessageReader, has_phrase
from memory.extraction.judging.context import GateContext, list_evidence, reject
from memory.extraction.judging.form import check_evidence, check_quarantine, check_subject
from memory.extraction.judging.recipes import ADAPTIVE
from memory.extraction.judging.values import fold_words, make_slug
from memory.extraction.judging.word_lists import list_phrases
from memory.extraction.types import ADAPTIVE_TYPES, Decision, Item, ItemDraft, Operation
from memory.types import RecordedMessage
from patterns.statements.persons import find_subject
from patterns.statements.vetoes import find_statement_veto

PREFERENCE, BEHAVIOUR = ADAPTIVE_TYPES
FACT_MARKS: Final = ("allergy_word", "budget_word", "limit_word", "size_word")
"""Words of the guaranteed types: what carries one is a fact or nothing, never an item."""


def measure_effective_confidence(confidence: float, *, said_at: datetime, now: datetime) -> float:
    """Confidence as it counts now: whole for 30 days, 0.85 of it to 90, 0.6 to 180, 0.3 after (SPEC S-3)."""
    age = now - said_at
    return confidence * next((factor for limit, factor in ADAPTIVE.decay if age <= limit), ADAPTIVE.oldest_decay)


def judge_item(operation: Operation, context: GateContext) -> Decision:
    """The decision on one proposed item. Never raises on any proposal."""
    for check in ITEM_CHECKS:
        reason = check(operation, context)
        if reason is not None:
            return reject(operation, reason)
    own = [message for message in list_evidence(operation, context) if not context.is_echo(message)]
    if not own:
        return reject(operation, "echo")
    if operation.operation == "REMOVE":
        return _judge_drop(operation, own, context)
    judge_kind = _judge_preference if operation.knowledge_type == PREFERENCE else _judge_behaviour
    return judge_kind(operation, own, context)


# --- checks of form: the first that answers decides ------------------------------------------------------------------


def _check_policy(operation: Operation, context: GateContext) -> str | None:
    return None if context.is_adaptive else "type_not_guaranteed"


def _check_operation(operation: Operation, context: GateContext) -> str | None:
    return None if operation.operation in ("ADD", "REMOVE") else "unknown_operation"


def _check_confidence(operation: Operation, context: GateContext) -> str | None:
    return None if operation.confidence >= ADAPTIVE.min_confidence else "low_confidence"


def _check_value(operation: Operation, context: GateContext) -> str | None:
    if operation.operation == "REMOVE":
        known = context.material.items.get(operation.knowledge_id or "")
        return None if known is not None and known.item_type == operation.knowledge_type else "unknown_item"
    value = operation.value
    if not isinstance(value, str) or not value.strip():
        return "no_value"
    words = fold_words(value)
    if not 1 <= len(words) <= ADAPTIVE.max_words or len(value) > ADAPTIVE.max_characters:
        return "value_malformed"
    marks = context.rules.analyse(value).marks
    return "belongs_to_facts" if any(marks.get(name) for name in FACT_MARKS) else None


ITEM_CHECKS: Final[tuple[Callable[[Operation, GateContext], str | None], ...]] = (
    _check_policy,
    _check_operation,
    check_subject,
    _check_confidence,
    check_evidence,
    check_quarantine,
    _check_value,
)


# --- what the user said -----------------------------------------------------------------------------------------------


def _judge_preference(operation: Operation, own: Sequence[RecordedMessage], context: GateContext) -> Decision:
    """The user's own words, in a clause that likes or dislikes, with no veto on it: said once is enough for half."""
    words = fold_words(str(operation.value))
    reason = "value_not_in_evidence"
    for message in reversed(own):
        found = find_words(context.read(message), words)
        if found is None:
            continue
        veto = _find_veto(context.read(message), *found)
        if veto is None:
            return _keep(operation, [message], context, is_active=True)
        reason = veto
    return reject(operation, reason)


def _find_veto(reader: MessageReader, start: int, end: int) -> str | None:
    message = reader.message
    veto = find_statement_veto(message, start, end)
    if veto is not None:
        return f"veto_{veto}"
    if find_subject(message, start, end) == "other":
        return "veto_other_subject"
    clause = message.clause(start)
    if _is_denied_outside(reader, clause, start, end):
        return "veto_negated"
    return None if has_phrase(message, [*list_likes(), *list_dislikes()], clause) else "no_anchor"


def _is_denied_outside(reader: MessageReader, clause: tuple[int, int], start: int, end: int) -> bool:
    """A "not" or a word of dislike that the value leaves out: what is kept would say the opposite of what was said."""
    message = reader.message
    around = ((clause[0], start), (end, message.segment(end - 1)[1]))
    return any(
        message.has_in("negator", *part) or has_phrase(message, list_dislikes(), part)
        for part in around
        if part[0] < part[1]
    )


def _judge_behaviour(operation: Operation, own: Sequence[RecordedMessage], context: GateContext) -> Decision:
    """Each message has a word like one of the value's; it counts once two of different days or sessions are there."""
    words = fold_words(str(operation.value))
    speaking = [message for message in own if _speaks_of(message, words, context)]
    if not speaking:
        return reject(operation, "value_not_in_evidence")
    known = context.items.get((operation.knowledge_type, _make_key(operation)))
    earlier = [context.earlier[mid] for mid in known.evidence_message_ids if mid in context.earlier] if known else []
    together = list({message.id: message for message in (*earlier, *speaking)}.values())
    return _keep(operation, speaking, context, is_active=_are_apart(together, context))


def _speaks_of(message: RecordedMessage, words: Sequence[str], context: GateContext) -> bool:
    """Said by the user of themselves: a request counts; a quotation, a friend's habit or a "no" to it does not."""
    read = context.read(message).message
    places = (i for i, token in enumerate(read.tokens) if any(is_like(token.text, word) for word in words))
    for index in places:
        before = (read.segment(index)[0], index)
        is_denied = read.has_in("negator", *before) or has_phrase(read, list_dislikes(), before)
        if not is_denied and not read.quoted[index] and find_subject(read, index, index + 1) != "other":
            return True
    return False


def _are_apart(messages: Sequence[RecordedMessage], context: GateContext) -> bool:
    """Whether two of them are of different days or sessions: five requests in one talk are one wish."""
    days = {message.created_at.astimezone(context.zone).date() for message in messages}
    sessions = {(message.conversation_id, context.sessions.get(message.id, 0)) for message in messages}
    return len(days) > 1 or len(sessions) > 1


def _judge_drop(operation: Operation, own: Sequence[RecordedMessage], context: GateContext) -> Decision:
    """The user speaks of the item again, later than before: dropping a guess asks for no more."""
    item = context.material.items[operation.knowledge_id or ""]
    words = fold_words(f"{item.value} {item.key}")
    message = own[-1]
    if message.created_at <= item.last_said_at:
        return reject(operation, "older_than_fact")
    tokens = context.read(message).message.tokens
    if not any(is_like(token.text, word) for token in tokens for word in words):
        return reject(operation, "value_not_in_evidence")
    return Decision(operation, "item_dropped", effect="drop_item", item_id=item.id, said_at=message.created_at)


# --- words ------------------------------------------------------------------------------------------------------------


def find_words(reader: MessageReader, words: Sequence[str]) -> tuple[int, int] | None:
    """The last place where a message says these words in a row, as token indexes [start, end)."""
    places = [index for index, token in enumerate(reader.message.tokens) if token.kind != "mark"]
    texts = [reader.message.tokens[index].text for index in places]
    for first in range(len(texts) - len(words), -1, -1):
        if texts[first : first + len(words)] == list(words):
            return places[first], places[first + len(words) - 1] + 1
    return None


def is_like(one: str, other: str) -> bool:
    """Whether two words are forms of one: at least four common letters at the start and short endings."""
    if min(len(one), len(other)) < ADAPTIVE.like_prefix:
        return False
    common = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return common >= ADAPTIVE.like_prefix and max(len(one), len(other)) - common <= ADAPTIVE.like_ending


def list_likes() -> tuple[tuple[str, ...], ...]:
    """Phrases with which somebody says what they like, in normalised words."""
    return list_phrases("preference_words")


def list_dislikes() -> tuple[tuple[str, ...], ...]:
    """The same of what they do not like."""
    return list_phrases("dislike_words")


# --- the decision -----------------------------------------------------------------------------------------------------


def _make_key(operation: Operation) -> str:
    return make_slug(operation.knowledge_key or str(operation.value))[:60]


def _keep(
    operation: Operation, messages: Sequence[RecordedMessage], context: GateContext, *, is_active: bool
) -> Decision:
    last = messages[-1]
    evidence: tuple[UUID, ...] = tuple(message.id for message in messages)
    draft = ItemDraft(
        item_type=operation.knowledge_type,
        key=_make_key(operation),
        value=str(operation.value).strip(),
        confidence=min(operation.confidence, ADAPTIVE.caps[operation.knowledge_type]),
        evidence_message_ids=evidence,
        first_said_at=messages[0].created_at,
        last_said_at=last.created_at,
        is_active=is_active,
        language=context.read(last).language,
    )
    known = context.items.get((draft.item_type, draft.key))
    if known is not None and draft.last_said_at < known.last_said_at and known.value != draft.value:
        return reject(operation, "older_than_fact")
    result = "item_kept" if is_active else "item_waiting"
    return Decision(
        operation,
        result,
        effect="keep_item",
        item=draft,
        said_at=last.created_at,
        evidence_message_ids=evidence,
        language=draft.language,
    )


def list_items_to_show(
    items: Sequence[Item], *, silenced_keys: frozenset[str], now: datetime, limit: int, least: float
) -> list[tuple[Item, float]]:
    """Items with their effective confidence, the surest first; without those under `least` and those that a fact with
    the same key has settled: a ban is not softened by a taste."""
    known = [
        (item, measure_effective_confidence(item.confidence, said_at=item.last_said_at, now=now))
        for item in items
        if not silenced_keys & {item.key, make_slug(item.value)}
    ]
    kept = [(item, weight) for item, weight in known if weight >= least]
    return sorted(kept, key=lambda one: (-one[1], -one[0].last_said_at.timestamp(), one[0].id.bytes))[:limit]
