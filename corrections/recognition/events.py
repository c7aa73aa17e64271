"""Events that are over, called off, moved, or another one's. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from corrections.recognition.case import Case, make_operation
from corrections.recognition.mentions import MONTHS, find_month, list_events, list_people, list_values, split_event_key
from corrections.recognition.types import Operation
from memory.types import Fact
from patterns.steps.dates import list_dates

KNOWN_WORDS = (
    "hush", "denial", "over", "ended", "moved", "recent", "make_it", "pointer", "it", "self", "own", "not_me",
    "negation", "only", "but", "affirm", "polite", "challenge", "topic", "praise", "other_person", "different",
)  # fmt: skip
MAX_WORDS_BESIDE = 1
MAX_WORDS_BESIDE_A_NAME = 3


def correct_events(case: Case) -> list[Operation]:
    """Operations on the life event that the turn or the reply speaks of; none when it is not clear which."""
    targets = _list_targets(case)
    if not targets:
        return []
    if len(targets) > 1:
        return _close_all(case, targets)
    fact = targets[0]
    return _replace(case, fact) or _move(case, fact) or _close(case, fact)


def list_unsaid_slots(case: Case, operations: Sequence[Operation]) -> list[tuple[str, str]]:
    """The user's own events that a reply about a relative's does not mean: "the wedding was moved" tells of no second.

    Read by itself the reply would state one.
    """
    if _names_own(case):
        return []
    named = {event.canonical for event in list_events(case.reply)}
    heads = {split_event_key(each.knowledge_key)[0] for each in operations if each.knowledge_type == "life_event"}
    return [("life_event", head) for head in sorted(heads & named)]


def _list_targets(case: Case) -> list[Fact]:
    named = [fact for fact in case.named if fact.knowledge_type == "life_event"]
    asserted = [fact for fact in case.asserted if fact.knowledge_type == "life_event"]
    both = [fact for fact in named if fact in asserted]
    return both or asserted or named


def _close_all(case: Case, targets: list[Fact]) -> list[Operation]:
    """Several events and one word for them: each is doubted, none is closed."""
    if _find_end(case) is None:
        return []
    return [make_operation("dispute", fact, "ambiguous") for fact in targets]


def _close(case: Case, fact: Fact) -> list[Operation]:
    end = _find_end(case)
    if end is None or not _is_about(case, fact):
        return []
    if case.reply.is_question(end):
        case.refuse("question")
        return []
    if fact not in case.asserted and not list_events(case.reply):
        return []
    if not case.reply.has("over") and not list_events(case.reply) and _list_unknown(case):
        return []
    return [make_operation("deactivate", fact, "outdated")]


def _is_about(case: Case, fact: Fact) -> bool:
    """Whether the reply speaks of this event: by its name, or of nothing else."""
    head, tail = split_event_key(fact.knowledge_key)
    events = {event.canonical for event in list_events(case.reply)}
    people = {person.canonical for person in list_people(case.reply)}
    if (events and head not in events) or (people and tail not in people):
        case.refuse("another_event")
        return False
    return len(_list_unknown(case)) <= (MAX_WORDS_BESIDE_A_NAME if events else MAX_WORDS_BESIDE)


def _list_unknown(case: Case) -> list[int]:
    """Words of the reply that say something else than events, people, dates and corrections."""
    spans = [(match.start, match.end) for match in (*list_events(case.reply), *list_people(case.reply))]
    return case.reply.uncovered(KNOWN_WORDS, (*spans, *_date_spans(case)))


def _find_end(case: Case) -> int | None:
    """Where the reply says that it is over or called off; None where that is negated or supposed."""
    reply = case.reply
    if reply.has("unreal") or reply.has("make_it"):
        return None
    ends = [cue for cue in reply.list_cues("over") if not reply.is_negated(cue.start, reach=1)]
    cue = next((cue for cue in ends if cue.meaning != "attend" or not _tells_how(case)), None)
    cue = cue or next(iter(reply.list_cues("ended")), None)
    is_put_off = any(c.end - c.start > 1 for c in reply.list_cues("polite"))  # "not now"
    if cue is None and reply.has("recent", "now") and case.is_bare("recent", "polite") and not is_put_off:
        cue = reply.list_cues("recent", "now")[0]
    return cue.start if cue else None


def _tells_how(case: Case) -> bool:
    """ "I'm not going to the wedding in heels": what is said beside the event is how, and the user does go."""
    return bool(list_values(case.reply)) or bool(_list_unknown(case)) or case.reply.has("worn")


def _move(case: Case, fact: Fact) -> list[Operation]:
    """Another date: the same key with it, or another key where the month is in the key."""
    reply = case.reply
    on = _find_date(case)
    if on is None or reply.has("unreal") or reply.is_question(0):
        return []
    is_meant = case.is_protest or any(reply.has(name) for name in ("moved", "make_it", "negation", "recent"))
    if not is_meant and not case.is_bare("only", "affirm", spans=_date_spans(case)):
        return []
    if _find_end(case) is not None and not reply.has("moved") and not case.has_no:
        return []
    if not _is_about(case, fact) or (fact not in case.asserted and not reply.has("moved")):
        return []
    head, tail = split_event_key(fact.knowledge_key)
    if tail not in MONTHS and tail and _names_own(case):
        case.refuse("another_event")  # "my wedding was moved" says nothing of the sister's
        return []
    month = find_month(reply)
    kind = "outdated" if reply.has("moved") or reply.has("recent") or not case.is_protest else "user_denied"
    if tail in MONTHS and month and month != tail:
        new = Operation("set", "life_event", f"{head}_{month}", value=fact.value, expires_on=on, correction_type=kind)
        return [make_operation("deactivate", fact, kind), new]
    return [
        Operation(
            "set", "life_event", fact.knowledge_key, fact=fact, value=fact.value, expires_on=on, correction_type=kind
        )
    ]


def _find_date(case: Case) -> date | None:
    """The last date of the reply that is not denied ("not on Friday but on Saturday")."""
    message = case.reply.message
    found = list_dates(message, 0, len(message.tokens), today=case.today)
    said = [when for when in found if when.is_known and not case.reply.is_negated(when.start, reach=2)]
    future = [when for when in said if when.on > case.today]
    return future[-1].on if future else None


def _date_spans(case: Case) -> tuple[tuple[int, int], ...]:
    message = case.reply.message
    return tuple((when.start, when.end) for when in list_dates(message, 0, len(message.tokens), today=case.today))


def _replace(case: Case, fact: Fact) -> list[Operation]:
    """Another event, or another one's: the old key is closed, the new one takes its date."""
    reply = case.reply
    head, tail = split_event_key(fact.knowledge_key)
    person = _find_person(case, tail)
    event = _find_event(case, head)
    is_own = _is_made_own(case, tail, person)
    if person is None and event is None and not is_own:
        return []
    if fact not in case.asserted or not _is_correction(case) or reply.has("unreal") or reply.is_question(0):
        case.refuse("not_denied")
        return []
    if reply.has("request"):
        case.refuse("request")  # "no, I'm looking for my daughter": whom it is for, not whose wedding it is
        return []
    if _is_told_of_past(case):
        case.refuse("past")  # "no, I was at my friend's": there is none ahead that could take this one's place
        return []
    new_head = event or head
    if person is not None and person != "work" and new_head in case.reply.message.grammar.own_events:
        return [make_operation("deactivate", fact, "wrong_subject")]
    new_tail = "" if is_own else (person or ("" if tail in MONTHS or (event and reply.has("self")) else tail))
    key = f"{new_head}_{new_tail}" if new_tail else new_head
    if key == fact.knowledge_key:
        return []
    on = _find_date(case)
    new = Operation(
        "set",
        "life_event",
        key,
        value=new_head,
        expires_on=on,
        expires_at=None if on else fact.expires_at,
        correction_type="user_denied",
    )
    return [make_operation("deactivate", fact, "user_denied"), new]


def _is_told_of_past(case: Case) -> bool:
    message = case.reply.message
    named = [match.start for match in (*list_events(case.reply), *list_people(case.reply))]
    return any(message.has_in("past", *message.segment(place)) for place in named) and _find_date(case) is None


def _is_correction(case: Case) -> bool:
    reply = case.reply
    is_named = bool(list_events(reply))
    if len(_list_unknown(case)) > (MAX_WORDS_BESIDE_A_NAME if is_named else MAX_WORDS_BESIDE):
        return False
    if case.is_protest or reply.has("not_me") or reply.has("make_it"):
        return True
    named = [match.start for match in (*list_events(reply), *list_people(reply))]
    if any(reply.is_negated(place, reach=2) for place in named):
        return True
    return reply.has("pointer") and not reply.has("over") and not _list_unknown(case)


def _find_person(case: Case, tail: str) -> str | None:
    """The relation that the reply puts in the place of the stored one."""
    people = [p for p in list_people(case.reply) if not _is_put_away(case, p.start)]
    others = [p.canonical for p in people if p.canonical != tail]
    if not others or any(p.canonical == tail for p in people):
        return None
    return others[-1]


def _is_put_away(case: Case, place: int) -> bool:
    """ "Not for my sister's wedding but ...": a no before the event is also one to the person right behind it."""
    before = next((event.start for event in list_events(case.reply) if event.end == place), place)
    return case.reply.is_negated(place, reach=2) or case.reply.is_negated(before, reach=2)


def _find_event(case: Case, head: str) -> str | None:
    events = [e for e in list_events(case.reply) if not case.reply.is_negated(e.start, reach=2)]
    others = [e.canonical for e in events if e.canonical != head]
    if not others or any(e.canonical == head for e in events):
        return None
    return others[-1]


def _is_made_own(case: Case, tail: str, person: str | None) -> bool:
    """ "No, it's mine": a relative's event turns out to be the user's own."""
    if not tail or tail in MONTHS or person is not None:
        return False
    return _names_own(case) and not case.reply.has("not_me")


def _names_own(case: Case) -> bool:
    return any(not case.reply.is_negated(cue.start, reach=1) for cue in case.reply.list_cues("own"))
