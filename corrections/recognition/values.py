"""New sizes, heights, weights and budgets in a reply, and old ones that it denies. Pure."""

from __future__ import annotations

from typing import Any

from corrections.recognition.case import Case, make_operation
from corrections.recognition.measures import choose_slot, find_half, list_amounts, list_sizes, make_value
from corrections.recognition.mentions import is_of_another, kind_of
from corrections.recognition.types import Operation
from memory.types import Fact
from patterns.kinds.body.size_values import Size
from patterns.statements.vetoes import find_statement_veto, is_past

FINAL_VETOES = ("quoted", "forwarded", "conditional", "wish", "reported", "sarcasm", "past")
"""Of the vetoes on statements those that hold for an answer too; an answer may be rough ("let's say 600")."""
BARE_WORDS = ("topic", "self", "affirm", "only", "but", "recent", "make_it", "praise", "allow")
"""What may stand beside a value that is the whole reply."""
WORDS_BEHIND_LIFTED = ("recent", "ended", "polite", "hush", "affirm", "pointer")
"""What may follow a budget that is lifted, in its segment."""
SIZE_REACH = 3
DISOWNED_REACH = 4
MAX_NEWS_TOKENS = 8
"""In so short a reply a "now" anywhere goes with the value."""


def correct_values(case: Case) -> list[Operation]:
    """`set` for every new value of a measured key, `deactivate` for a value that is only denied."""
    targets = _list_targets(case)
    if not targets:
        return []
    operations: dict[tuple[str, str], Operation] = {}
    for fact, value, start, end in _list_said(case, targets):
        operation = _judge(case, fact, value, start, end)
        if operation is not None:
            kept = operations.get(operation.slot)
            if kept is None or operation.kind == "set":
                operations[operation.slot] = operation
    return list(operations.values())


def lift_budget(case: Case) -> list[Operation]:
    """ "No budget limit any more", "forget the budget": it is closed by its name, without a value or a turn."""
    fact = next((fact for fact in case.facts if fact.knowledge_type == "budget"), None)
    cue = next(iter(case.reply.list_cues("lifted")), None)
    if fact is None or cue is None:
        return []
    is_negated = case.reply.is_negated(cue.start, reach=2)  # "don't forget the budget"
    reason = "not_stated" if is_negated or case.reply.has("challenge") else _find_veto(case, fact, cue.start, cue.end)
    if reason == "past" and case.reply.has("negation", start=cue.start, end=cue.end):
        reason = None  # "I no longer have a budget": it is the budget that is past
        if is_of_another(case.reply, *case.reply.message.segment(cue.start)):
            reason = "other_subject"
    if reason or _goes_on(case, cue.end):
        case.refuse(reason or "something_else_is_said")
        return []
    return [make_operation("deactivate", fact, "outdated")]


def _goes_on(case: Case, end: int) -> bool:
    """Whether the segment says more: "no budget limit for the dress" holds for the dress."""
    known = case.reply.covered(WORDS_BEHIND_LIFTED)
    last = case.reply.message.segment(end - 1)[1]
    tokens = case.reply.message.tokens
    return any(place not in known and tokens[place].kind != "mark" for place in range(end, last))


def _list_targets(case: Case) -> list[Fact]:
    """Measured facts that the turn or the reply speaks of."""
    topics = {cue.meaning for cue in case.reply.list_cues("topic")}
    measured = [fact for fact in case.facts if fact.knowledge_type in ("body_params", "budget")]
    return [fact for fact in measured if fact in case.asserted or fact in case.named or kind_of(fact) in topics]


def _list_said(case: Case, targets: list[Fact]) -> list[tuple[Fact, Any, int, int]]:
    """Values in the reply with the fact each is about, left to right."""
    said: list[tuple[Fact, Any, int, int]] = []
    taken: set[int] = set()
    sized = [fact for fact in targets if fact.knowledge_key.startswith("size")]
    for size in list_sizes(case.reply, fact=None):
        fact = _choose_sized(case, size, sized)
        if fact is not None:
            said.append((fact, size.value, size.start, size.end))
            taken.update(range(size.start, size.end))
    for amount in list_amounts(case.reply):
        fact = None if amount.start in taken else choose_slot(case.reply, amount, targets)
        if fact is not None:
            said.append((fact, make_value(amount, fact), amount.start, amount.end))
    return sorted(said, key=lambda entry: entry[2])


def _choose_sized(case: Case, size: Size, sized: list[Fact]) -> Fact | None:
    half = find_half(case.reply, size)
    if half is not None:
        return next((fact for fact in case.facts if fact.knowledge_key == half), None) if sized else None
    if len(sized) <= 1:
        return sized[0] if sized else None
    equal = [fact for fact in sized if str(fact.value).upper() == size.value.upper()]
    plain = [fact for fact in sized if fact.knowledge_key == "size"]
    return next(iter(equal or plain), None)


def _judge(case: Case, fact: Fact, value: Any, start: int, end: int) -> Operation | None:
    """What one value in the reply does to its fact."""
    reply = case.reply
    is_same = str(value).upper() == str(fact.value).upper()
    is_denied = reply.is_negated(start) or reply.has("denial", "firm", start=end, end=end + 1)
    is_denied = is_denied or _is_disowned(case, fact, end)
    if is_same:
        is_over = fact in case.asserted and _has_ended(case, start, end)
        return _deny(case, fact, start, end) if is_denied or is_over else None
    reason = _find_veto(case, fact, start, end)
    if reason:
        case.refuse(reason)
        return None
    if is_denied or not _is_meant(case, fact, start, end):
        case.refuse("not_a_new_value")
        return None
    is_outdated = reply.has("recent") or not (case.is_protest or reply.has("negation"))
    kind = "outdated" if is_outdated else "user_denied"
    return Operation("set", fact.knowledge_type, fact.knowledge_key, fact=fact, value=value, correction_type=kind)


def _is_disowned(case: Case, fact: Fact, end: int) -> bool:
    """ "M is not my size": right behind the value it is denied to be what the fact says."""
    reply = case.reply
    last = min(reply.message.segment(end - 1)[1], end + DISOWNED_REACH)
    kinds = [cue for cue in reply.list_cues("topic", start=end, end=last) if cue.meaning == kind_of(fact)]
    return any(reply.has("negation", start=end, end=cue.start) for cue in kinds)


def _has_ended(case: Case, start: int, end: int) -> bool:
    """ "L уже нет", "kan 600": words that close the value stand after it, or it is told of the past."""
    if is_past(case.reply.message, start, end):
        return True
    return case.reply.has("ended", start=end, end=case.reply.message.segment(end - 1)[1])


def _deny(case: Case, fact: Fact, start: int, end: int) -> Operation | None:
    first, last = case.reply.message.segment(start)
    if is_of_another(case.reply, first, last) or _is_scoped(case, fact, first, last):
        case.refuse("other_subject")
        return None
    if case.reply.is_question(start) or case.reply.has("unreal") or case.reply.has("challenge", "unsaid"):
        case.refuse("not_stated")
        return None
    if fact not in case.asserted and not (case.reply.has("ended") or case.reply.has("self")):
        case.refuse("not_asserted")
        return None
    is_outdated = case.reply.has("ended") or is_past(case.reply.message, start, end)
    kind = "outdated" if is_outdated else "user_denied"
    return make_operation("deactivate", fact, kind)


def _counts_something_else(case: Case, fact: Fact, start: int, end: int) -> bool:
    """A number beside years, pieces or an abaya is no size."""
    message = case.reply.message
    if not fact.knowledge_key.startswith("size") or message.tokens[start].kind != "number":
        return False
    first, last = message.segment(start)
    return message.has_in("anti_anchor", max(first, start - SIZE_REACH), min(last, end + SIZE_REACH))


def _is_scoped(case: Case, fact: Fact, first: int, last: int) -> bool:
    """A size at one brand, of a thing ("this dress is not M") or in the shop ("M is sold out"), a budget for a gift."""
    names: tuple[str, ...] = ("budget_other",) if fact.knowledge_type == "budget" else ()
    if fact.knowledge_key.startswith("size"):
        is_own = any(case.reply.has(name, start=first, end=last) for name in ("topic", "self", "worn"))
        if not is_own and case.reply.has("stock", start=first, end=last):
            return True
        names = ("brand", "shoe") if is_own else ("brand", "shoe", "garment", "garment_word")
    return any(case.reply.message.has_in(name, first, last) for name in names)


def _find_veto(case: Case, fact: Fact, start: int, end: int) -> str | None:
    """A code when the value is somebody else's, a price, a request, a question or a supposition."""
    reply = case.reply
    first, last = reply.message.segment(start)
    if reply.is_question(start) or reply.has("question"):
        return "question"
    if reply.has("unreal"):
        return "not_stated"
    if reply.has("request", start=first, end=last) and not (case.is_protest or reply.has("recent")):
        return "request"
    if fact.knowledge_type == "budget" and (
        reply.has("reject", start=first, end=last) and not reply.has("topic", "budget", start=first, end=last)
    ):
        return "price_of_an_item"
    veto = find_statement_veto(reply.message, start, end)
    if veto in FINAL_VETOES and not (veto == "reported" and reply.has("challenge")):
        return veto
    if _is_scoped(case, fact, first, last) or _counts_something_else(case, fact, start, end):
        return "scoped"
    if is_of_another(reply, first, last):
        return "other_subject"
    return None


def _is_meant(case: Case, fact: Fact, start: int, end: int) -> bool:
    """Whether a value that differs is offered as the right one: said against the old one, as news, or alone."""
    reply = case.reply
    if case.is_protest or (fact in case.named and (reply.has("negation") or reply.has("recent"))):
        return True
    first, last = reply.message.segment(start)
    if reply.has("recent", start=first, end=last) or reply.has("make_it", start=first, end=last):
        return True
    if fact not in case.asserted:
        return False
    if reply.has("recent") and len(reply.message.tokens) <= MAX_NEWS_TOKENS:
        return True
    if fact.knowledge_key in ("size_top", "size_bottom") and reply.message.has_in("half", first, last):
        return True
    return case.is_bare(*BARE_WORDS, spans=((start, end),))
