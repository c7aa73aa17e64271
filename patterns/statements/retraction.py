"""What its writer unsays in the next breath: "I never wear leather. Actually no, I do", "budget 300, haha no"."""

from __future__ import annotations

from patterns.matching.lexicon import LexiconMatch
from patterns.steps.draft import Draft, Findings, Refusal
from patterns.steps.message import Message

_PASSED = ("laugh", "contrast", "filler", "oath", "greeting", "conj", "self", "negator")
_VALUES = ("fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand", "size_letter", "number")
MAX_PASSED = 5  # small words before the one that unsays


def drop_retracted(message: Message, findings: Findings) -> None:
    """Remove drafts that a following statement takes back. Writes `findings`."""
    if "retraction" not in message.marks:
        return
    kept: list[Draft] = []
    for draft in findings.drafts:
        if _is_retracted(message, draft, findings):
            findings.refusals.append(Refusal(draft.rule, "retracted", draft.start, draft.end))
        else:
            kept.append(draft)
    findings.drafts[:] = kept


def _is_retracted(message: Message, draft: Draft, findings: Findings) -> bool:
    if draft.end >= len(message.tokens):
        return False
    stop = _find_stop(message, draft, findings)
    inside = message.list_in("retraction", draft.start + 1, draft.end)
    if any(found.canonical == "whole" and message.segment(found.start)[0] == found.start for found in inside):
        return True  # "never suggest heels, I take it back": a rule read on into it
    return any(
        _unsays(message, found, draft)
        for place in _list_openings(message, draft.end, stop)
        for found in _list_retractions(message, place, stop)
    )


def _find_stop(message: Message, draft: Draft, findings: Findings) -> int:
    """The end of the clause after the statement's, or where the next statement of another kind begins."""
    clauses = message.normal.clauses
    number = message.clause_of[draft.end - 1]
    end = clauses[min(number + 1, len(clauses) - 1)][1]
    named = (draft.knowledge_type, draft.key)
    others = (
        d.start
        for d in findings.drafts
        if (d.knowledge_type, d.key) != named and d.rule is not draft.rule and d.start >= draft.end
    )
    return min((end, *others))


def _list_openings(message: Message, start: int, stop: int) -> list[int]:
    """Where something new may begin: right behind the statement, and at every segment up to the stop."""
    return [start, *(first for first, _ in message.segments if start < first < stop)]


def _list_retractions(message: Message, place: int, stop: int) -> list[LexiconMatch]:
    """The words of unsaying from a place on, over small words and marks."""
    found: list[LexiconMatch] = []
    for _ in range(MAX_PASSED):
        if place >= stop:
            break
        known = message.starts[place]
        if "retraction" in known:
            found.append(known["retraction"])
        small = [known[name].end for name in _PASSED if name in known] if known else []
        if not small and message.tokens[place].kind != "mark":
            break
        place = max(small, default=place + 1)
    return found


def _unsays(message: Message, found: LexiconMatch, draft: Draft) -> bool:
    """Whether it is the whole of what is said there, and of this sort of statement."""
    is_minded = message.tokens[found.end - 1].text in message.grammar.minded
    if is_minded and message.at(found.end, "article") is not None:
        return False  # "never mind the typos"
    if found.canonical == "whole":
        return True
    if found.canonical == "answer":
        return False  # answers a heading alone
    last = message.clause(found.start)[1]
    named = [m for name in _VALUES for m in message.list_in(name, found.end, last)]
    has_more = any(m.canonical != draft.value for m in named)
    has_more = has_more or any(token.kind == "number" for token in message.tokens[found.end : last])
    if found.canonical == "turn":
        return not has_more
    is_closed = found.end >= message.segment(found.start)[1] or message.tokens[found.end].kind == "mark"
    is_closed = is_closed and message.tokens[last - 1].text != "?" and message.at(found.end, "clause_link") is None
    if not is_closed or has_more:
        return False
    if found.canonical == "stranger":  # "size M, that's for my sister"; "leather is not for me" is a ban
        return draft.knowledge_type not in ("hard_ban", "life_event")
    return (draft.knowledge_type == "hard_ban") == (found.canonical == "admission")
