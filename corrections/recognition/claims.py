"""Replies to claims that no stored fact bears: denied, asked for their source, or called just right. Pure.

"I never said I like green" changes no fact, for there is none; it is still a correction (SPEC C-1, C-2). "Yes, exactly"
says that what the turn was made from was of use (SPEC C-4).
"""

from __future__ import annotations

from typing import Final

from corrections.recognition.case import Case
from corrections.recognition.measures import list_sizes
from corrections.recognition.mentions import list_events, list_values
from corrections.recognition.texts import Text

CHALLENGES: Final = {"source": "ambiguous", "unsaid": "user_denied", "confused": "wrong_subject"}
"""The kind of correction that each way of challenging is."""
DENYING: Final = ("denial", "hush", "pointer", "self", "it", "negation", "ended")
AFFIRMING: Final = ("hush", "affirm", "stands", "praise", "self", "it", "pointer", "topic")
SAYING: Final = (*DENYING, "taste", "worn", "allow", "only", "but")
MAX_WORDS_BESIDE: Final = 1
CHALLENGING: Final = ("challenge", "denial", "why", "pointer", "it", "question")


def may_answer_claim(text: Text) -> bool:
    """The cheap gate: False where a reply neither denies, challenges nor confirms, whatever was claimed."""
    cues = text.cues
    if "challenge" in cues or _only_affirms(text):
        return True
    if text.has("denial", "firm") or text.has("denial", "echo"):
        return not text.uncovered(DENYING) or bool(list_values(text))
    is_denying = "denial" in cues or ("negation" in cues and "self" in cues)
    return is_denying and bool(list_values(text))


def find_denied_claim(case: Case, turn: Text) -> str | None:
    """The type of correction where the reply denies or challenges what the turn says of the user and no fact holds.

    Call it where the reply changes no fact. None where in doubt: a turn that says nothing of the user, an offer, a
    question, a supposition.
    """
    reply = case.reply
    if reply.has("request") or reply.has("unreal"):
        return None
    if reply.has("challenge"):
        return _find_challenge(case, turn)
    if case.asserted or case.is_offer or case.is_doubt or reply.is_question(0) or not _speaks_of_user(turn):
        return None
    return "user_denied" if _is_plain_denial(case, turn) or _denies_what_is_said(case, turn) else None


def is_affirmed(case: Case) -> bool:
    """Whether the reply says that the turn is just right, and nothing else: "yes, exactly", "спасибо, всё верно"."""
    reply = case.reply
    if case.is_offer or case.is_doubt or case.has_no or reply.has("challenge"):
        return False
    if any(token.text == "?" for token in reply.message.tokens):
        return False
    return _only_affirms(reply)


def _only_affirms(text: Text) -> bool:
    """Whether "exactly", "it is so" and values are the whole text."""
    if not (text.has("affirm", "exact") or text.has("stands")):
        return False
    named = [(match.start, match.end) for match in (*list_values(text), *list_events(text))]
    named += [(size.start, size.end) for size in list_sizes(text)]
    return not text.uncovered(AFFIRMING, named)


def _find_challenge(case: Case, turn: Text) -> str | None:
    reply = case.reply
    kind = reply.list_cues("challenge")[0].meaning
    if kind != "source":
        return CHALLENGES[kind]
    is_about_user = reply.has("self") or (case.is_bare(*CHALLENGING) and _speaks_of_user(turn))
    return CHALLENGES[kind] if is_about_user else None


def _speaks_of_user(turn: Text) -> bool:
    """Whether a clause of the turn says something of the person spoken to, and neither offers nor asks."""
    return any(_is_claim(turn, start, end) for start, end in turn.message.normal.clauses)


def _is_claim(turn: Text, start: int, end: int) -> bool:
    offers = turn.list_cues("offer", start=start, end=end)
    if not turn.has("you", start=start, end=end) or any(cue.end - cue.start > 1 for cue in offers):
        return False
    has_tag = any(cue.end == end - 1 for cue in turn.list_cues("affirm", start=start, end=end))
    return has_tag or not turn.is_question(start)


def _is_plain_denial(case: Case, turn: Text) -> bool:
    """ "That's wrong", "I don't", as the whole reply to a turn that does not end with a question."""
    start, _ = turn.message.normal.clauses[-1]
    if turn.is_question(start) or not (case.has_firm_no or case.reply.has("denial", "echo")):
        return False
    return case.is_bare(*DENYING)


def _denies_what_is_said(case: Case, turn: Text) -> bool:
    """ "I don't like green" after "You like green": the same value, negated, and no fact is keyed by it."""
    spans = tuple((match.start, match.end) for match in list_values(case.reply))
    if len(case.reply.uncovered(SAYING, spans)) > MAX_WORDS_BESIDE:
        return False  # "I don't want green shoes today": of one thing or one day
    stored = {fact.knowledge_key for fact in case.facts}
    claimed = {
        match.canonical
        for start, end in turn.message.normal.clauses
        if _is_claim(turn, start, end)
        for match in list_values(turn)
        if start <= match.start < end
    }
    return any(
        match.canonical in claimed - stored and (case.reply.is_negated(match.start) or case.has_firm_no)
        for match in list_values(case.reply)
    )
