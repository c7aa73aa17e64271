"""Detects corrections in a reply (SPEC C-1, KSP fix 11). Pure and deterministic. Precision comes first.

The explicit part of a reply decides, so the order is: events and values that the reply names, another subject, a
challenge, a confirmation, and only then a bare no.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from corrections.recognition.case import Case
from corrections.recognition.claims import find_denied_claim, is_affirmed
from corrections.recognition.copies import COPIED_WORDS, PASTED_WORDS, Span, find_copied, join_heard
from corrections.recognition.events import correct_events, list_unsaid_slots
from corrections.recognition.measures import list_amounts, list_sizes
from corrections.recognition.mentions import (
    EVENT_CATEGORIES,
    VALUE_CATEGORIES,
    find_mentioned,
    is_any_mentioned,
    list_people,
    names_any,
)
from corrections.recognition.replies import (
    confirm_asserted,
    correct_subject,
    deny_asserted,
    dispute_asserted,
    is_confirming,
)
from corrections.recognition.texts import Text
from corrections.recognition.things import correct_things
from corrections.recognition.types import Detection, Operation
from corrections.recognition.values import correct_values, lift_budget
from corrections.recognition.vocabulary import Vocabulary
from memory.types import Fact
from patterns.steps.language import detect_language
from patterns.steps.message import Message

if TYPE_CHECKING:
    from patterns.rules.ruleset import RuleSet

STRONG_CUES = frozenset((
    "denial", "challenge", "affirm", "stands", "ended", "over", "lifted", "moved", "make_it", "not_me", "different",
    "own",
))  # fmt: skip
WEAK_CUES = frozenset(("negation", "recent", "allow", "only", "topic", "self", "pointer"))
CHANGING_CUES = frozenset(
    ("denial", "challenge", "negation", "ban_word", "recent", "ended", "over", "lifted", "moved", "make_it")
)
"""Without one of these a reply changes nothing, unless the assistant has asserted something that it answers."""
DATE_CATEGORIES = ("weekday", "month", "day_word", "date_phrase", "dual", "period")
VALUE_MARKS = frozenset((*VALUE_CATEGORIES, *EVENT_CATEGORIES, *DATE_CATEGORIES))
VOCABULARY = "corrections.recognition.vocabulary"
MAX_BARE_TOKENS = 4
MAX_TAG_TOKENS = 4
MAX_NEGATED_OFFER = 2
CORRECTION_ORDER = ("wrong_subject", "user_denied", "outdated", "ambiguous")


def get_vocabulary(rule_set: RuleSet) -> Vocabulary:
    """The words of a rule set with its phrases; made once for each vocabulary, and gone with it."""
    vocabulary = rule_set.derived.get(VOCABULARY)
    if not isinstance(vocabulary, Vocabulary):
        # Two threads may both make it: they make the same, and one of them is kept.
        vocabulary = Vocabulary(lexicon=rule_set.lexicon, phrases=rule_set.phrase_book)
        rule_set.derived[VOCABULARY] = vocabulary
    return vocabulary


def read_reply(reply: str, *, rule_set: RuleSet, user_id: UUID | None = None, message: Message | None = None) -> Text:
    """A reply with its values and cues found: what `may_correct` and `detect` look at. Pure.

    `message`: the reply as the rule set analysed it, where it has.
    """
    return get_vocabulary(rule_set).read(reply, user_id=user_id, message=message)


def may_correct(text: Text) -> bool:
    """The cheap gate: False when nothing in the reply could correct anything, whatever is stored."""
    if not STRONG_CUES.isdisjoint(text.cues) or text.has("allow", "wear") or text.has("allow", "permit"):
        return True
    if (text.has("pointer") or text.has("topic")) and list_people(text):
        return True
    if text.has("topic") and text.has("negation"):
        return True
    is_short = len(text.message.words) <= MAX_BARE_TOKENS and not text.has("request")
    if is_short and text.has("recent"):
        return True
    return (is_short or not WEAK_CUES.isdisjoint(text.cues)) and _has_value(text)


def may_change(text: Text) -> bool:
    """Whether a reply with no turn of the assistant before it may change anything, whatever is stored.

    "I wear size M" answers nothing and takes nothing back: what it states is for the rules to read. What names neither
    a value nor a kind of fact can mean none.
    """
    if CHANGING_CUES.isdisjoint(text.categories) or not ("topic" in text.categories or names_any(text)):
        return False
    return not CHANGING_CUES.isdisjoint(text.cues)


def may_concern(text: Text, facts: Sequence[Fact]) -> bool:
    """Whether such a reply may change one of these facts.

    Without a turn nothing is asserted, so that only a fact whose value or kind the reply itself names can be meant.
    """
    return text.has("topic") or is_any_mentioned(text, facts)


def _has_value(text: Text) -> bool:
    if not VALUE_MARKS.isdisjoint(text.message.categories) or text.has("your_thing") or text.has("your_event"):
        return True
    return text.message.has_size and bool(list_sizes(text) or list_amounts(text))


def detect(
    reply: str,
    *,
    previous_turn: str | None,
    facts: Sequence[Fact],
    said_at: datetime,
    rule_set: RuleSet,
    asserted_fact_ids: Collection[UUID] | None = None,
    user_id: UUID | None = None,
    text: Text | None = None,
) -> Detection:
    """The operations that a reply asks for, in order; none where in doubt. `text`: the reply, where it is read already.

    `previous_turn`: the assistant's words right before; `facts`: the user's active facts; `said_at`: aware, in the
    tenant's zone. `asserted_fact_ids`: the facts that the pack behind that turn held, where a receipt names it: of the
    facts that the turn's words speak of, those come first, and the others count only where there are none of them.
    `user_id`: whose words these are, for what is on trial; without one what is in force reads them. Writes nothing,
    raises on no text.
    """
    vocabulary = get_vocabulary(rule_set)
    text = text or vocabulary.read(reply, user_id=user_id)
    case = Case(
        reply=text,
        facts=tuple(facts),
        asserted=[],
        named=find_mentioned(text, facts),
        said_at=said_at,
        has_turn=previous_turn is not None,
        tastes=vocabulary.tastes,
    )
    if previous_turn:
        turn = vocabulary.read(previous_turn, user_id=user_id)
        case.asserted = _list_asserted(turn, facts, asserted_fact_ids)
        case.is_offer = ends_with_offer(turn) or asks_something_else(turn, case.asserted, vocabulary)
        case.is_doubt = turn.has("doubt")
        case.copied = _list_copied(text, reply, previous_turn)
    else:
        turn = None
    if case.is_copy:
        return Detection(language=detect_language(text.message))
    operations = [each for each in _decide(case) if case.has_turn or each.kind != "dispute"]
    operations += _list_stated(case, operations, rule_set, reply=reply, user_id=user_id)
    found = _conclude(case, operations, language=detect_language(text.message))
    if turn is None:
        return found
    claim = None if operations else find_denied_claim(case, turn)
    return replace(found, correction_type=found.correction_type or claim, is_affirmed=is_affirmed(case))


def _list_copied(text: Text, reply: str, turn: str) -> list[Span]:
    """What of the reply is the turn's own words; who speaks of "I" pastes a longer piece, or says it (SPEC M-5)."""
    least = PASTED_WORDS if "self" in text.message.categories else COPIED_WORDS
    return find_copied(reply, join_heard([turn]), least=least)


def _list_asserted(turn: Text, facts: Sequence[Fact], given_ids: Collection[UUID] | None) -> list[Fact]:
    spoken = find_mentioned(turn, facts, is_assertion=True)
    given = [fact for fact in spoken if given_ids is not None and fact.id in given_ids]
    return given or spoken


def _list_stated(
    case: Case, operations: list[Operation], rule_set: RuleSet, *, reply: str, user_id: UUID | None
) -> list[Operation]:
    """A plain statement of another value for what the turn asserts ("my size is M") is a new value without a denial."""
    measured = {f.slot: f for f in case.asserted if f.knowledge_type in ("body_params", "budget")}
    if not measured or any(operation.slot in measured for operation in operations):
        return []
    stated: list[Operation] = []
    for reading in rule_set.read(reply, said_at=case.said_at, user_id=user_id).readings:
        if any(span.start <= reading.start and reading.end <= span.end for span in case.copied):
            continue
        fact = measured.get((reading.knowledge_type, reading.knowledge_key))
        if fact is not None and str(fact.value).upper() != str(reading.value).upper():
            new = Operation("set", *fact.slot, fact=fact, value=reading.value, correction_type="outdated")
            stated.append(new)
    return stated


def ends_with_offer(turn: Text) -> bool:
    """Whether the last clause of a turn offers something. A single word counts only in a question.

    "You don't want fur, right?" offers nothing: it asks whether memory is right.
    """
    clauses = turn.message.normal.clauses
    if not clauses:
        return False
    start, end = clauses[-1]
    is_question = turn.message.tokens[end - 1].text == "?"
    has_tag = any(cue.end == end - 1 and cue.start > start for cue in turn.list_cues("affirm", start=start, end=end))
    for cue in turn.list_cues("offer", start=start, end=end):
        is_negated = turn.is_negated(cue.start, reach=MAX_NEGATED_OFFER)
        if cue.end - cue.start > 1 and (is_question or not is_negated):
            return True
        if is_question and not (has_tag and is_negated):
            return True
    return False


def asks_something_else(turn: Text, asserted: Sequence[Fact], vocabulary: Vocabulary) -> bool:
    """Whether a turn ends with a question of its own, about nothing that it asserts: a bare yes or no answers that.

    A short one ("Right?", "Is it so?") asks about what was said before it.
    """
    clauses = turn.message.normal.clauses
    if len(clauses) < 2 or not turn.is_question(clauses[-1][0]):
        return False
    start, end = clauses[-1]
    if end - start <= MAX_TAG_TOKENS or any(turn.has(name, start=start, end=end) for name in ("affirm", "doubt")):
        return False
    tokens = turn.message.tokens
    question = vocabulary.read(turn.message.normal.text[tokens[start].start : tokens[end - 1].end])
    return not find_mentioned(question, asserted, is_assertion=True)


def _decide(case: Case) -> list[Operation]:
    if is_confirming(case) and not _has_explicit(case):
        return confirm_asserted(case)
    explicit = _list_explicit(case)
    if explicit:
        return explicit
    for rule in (correct_subject, dispute_asserted, confirm_asserted, deny_asserted):
        operations = rule(case)
        if operations:
            return operations
        if rule is confirm_asserted and is_confirming(case):
            return []
    return []


def _list_explicit(case: Case) -> list[Operation]:
    return [*correct_events(case), *(correct_values(case) or lift_budget(case)), *correct_things(case)]


def _has_explicit(case: Case) -> bool:
    """Whether the reply names something that changes: then a yes before it settles nothing."""
    noted = list(case.reasons)
    found = bool(_list_explicit(case))
    case.reasons[:] = noted
    return found


def _conclude(case: Case, operations: list[Operation], *, language: str) -> Detection:
    unique = list({(operation.kind, *operation.slot): operation for operation in operations}.values())
    kinds = {operation.correction_type for operation in unique}
    kind = next((name for name in CORRECTION_ORDER if name in kinds), None)
    if kind is not None:
        unique = [replace(o, correction_type=kind) if o.kind == "set" else o for o in unique]
    return Detection(
        operations=tuple(unique),
        correction_type=kind,
        denied=frozenset((*(each.slot for each in unique), *list_unsaid_slots(case, unique))),
        language=language,
        asserted_fact_ids=tuple(fact.id for fact in case.asserted),
        reasons=tuple(dict.fromkeys(case.reasons)),
    )
