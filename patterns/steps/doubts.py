"""The last step: readings whose surroundings speak against them are refused (see `patterns.steps.doubt_weights`)."""

from __future__ import annotations

from patterns.steps.doubt_weights import LIST, NUMBER, UNKNOWN, Doubts, Signs
from patterns.steps.draft import Draft, Findings, Refusal
from patterns.steps.message import Message

REASON = "doubtful"
REACH = 24  # words on either side that are looked at
MAX_JUDGED = 8  # readings of one message: a bound for hostile text
COVER = 3  # words by which an expression may begin before a word that it covers
_NOTHING = ("",)
_COUNTS = ("0", "1", "2", "3", "4", "5", "6", "7", "8")


def drop_doubtful(
    message: Message,
    drafts: list[Draft],
    findings: Findings,
    *,
    doubts: Doubts,
    judged: frozenset[tuple[str, int]],
    language: str,
) -> list[Draft]:
    """The drafts that nothing speaks against; refusals of the others are added to `findings`.

    `judged`: slug and version of the rules that the weights know; what other rules read is never doubted, nor is a
    message in a language that there was nothing to learn from.
    """
    if language not in doubts.languages:
        return drafts
    kept = drafts[MAX_JUDGED:]
    sound: list[Draft] = []
    for draft in drafts[:MAX_JUDGED]:
        if (draft.rule.slug, draft.rule.version) not in judged:
            sound.append(draft)
            continue
        signs = list_signs(message, draft, language=language, count=len(drafts))
        if doubts.weigh(draft.knowledge_type, signs) >= doubts.limit:
            sound.append(draft)
            continue
        told = doubts.list_against(draft.knowledge_type, signs)
        findings.refusals.append(Refusal(draft.rule, REASON, draft.start, draft.end, told))
    return sound + kept


def list_signs(message: Message, draft: Draft, *, language: str, count: int) -> Signs:
    """What can be seen of a reading and of its segment. `count`: how many readings the message has."""
    start, end = draft.start, min(draft.end, len(message.tokens))
    first, last = message.segment(start)[0], message.segment(end - 1)[1]
    opening, closing = message.clause(start)
    mark = message.tokens[closing - 1]
    signs: Signs = {
        "kind": (draft.rule.kind,),
        "key": (draft.key if draft.knowledge_type == "body_params" else "",),
        "language": (language,),
        "end": (mark.text if mark.kind == "mark" else "",),
        "length": (_COUNTS[min(8, end - start)],),
        "readings": (_COUNTS[min(4, count)],),
        "before1": _NOTHING,
        "after1": _NOTHING,
    }
    if start > opening:
        _note_one(signs, message, "before1", start - 1)
    if end < closing:
        _note_one(signs, message, "after1", end)
    _note(signs, message, "before", max(first, start - REACH), start)
    _note(signs, message, "within", start, min(end, start + 2 * REACH))
    _note(signs, message, "behind", end, min(last, end + REACH))
    return signs


def _note_one(signs: Signs, message: Message, place: str, index: int) -> None:
    """The word right beside, and the lists of the vocabulary that it stands in."""
    token = message.tokens[index]
    signs[place] = (NUMBER if token.kind == "number" else token.text,)
    known = message.starts[index]
    if known:
        signs[place + LIST] = known.keys()
    elif token.kind == "word" and not _is_covered(message, index):
        signs[place + LIST] = (UNKNOWN,)


def _note(signs: Signs, message: Message, place: str, start: int, end: int) -> None:
    """The words of [start, end), all numbers alike, and the lists that they stand in."""
    if start >= end:
        return
    words: set[str] = set()
    lists: set[str] = set()
    for index, (token, known) in enumerate(
        zip(message.tokens[start:end], message.starts[start:end], strict=True), start
    ):
        if known:
            lists.update(known)
        elif token[3] == "word" and UNKNOWN not in lists and not _is_covered(message, index):
            lists.add(UNKNOWN)
        words.add(NUMBER if token[3] == "number" else token[0])
    signs[place], signs[place + LIST] = words, lists


def _is_covered(message: Message, index: int) -> bool:
    """Whether a longer expression that began before reaches over the token."""
    for before in range(index - 1, max(-1, index - COVER - 1), -1):
        for match in message.starts[before].values():
            if match[4] > index:
                return True
    return False
