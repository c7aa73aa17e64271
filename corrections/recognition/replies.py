"""Replies that carry no value: it is somebody else's, where did you get that, no, yes. Pure."""

from __future__ import annotations

from corrections.recognition.case import Case, make_operation
from corrections.recognition.measures import list_amounts, list_sizes
from corrections.recognition.mentions import is_of_another, list_events, list_people, list_values
from corrections.recognition.texts import Text
from corrections.recognition.things import restates_value
from corrections.recognition.types import Operation
from memory.types import Fact
from patterns.matching.phrases import Cue

MAX_UNKNOWN_WORDS = 2
KNOWN_WORDS = (
    "hush", "denial", "topic", "pointer", "self", "ended", "recent", "different", "negation", "it", "stands", "only",
    "idiom",
)  # fmt: skip
"""What may stand beside a no without changing it."""


SUBJECT_WORDS = (*KNOWN_WORDS, "not_me", "other_person", "allow", "worn", "but", "recent", "unit", "challenge")


def correct_subject(case: Case) -> list[Operation]:
    """ "That's my sister's, not mine": what the turn asserts is another's. Events are the business of `events`."""
    reply = case.reply
    targets = [fact for fact in case.asserted if fact.knowledge_type != "life_event"]
    has_other = any(p.category == "relation" for p in list_people(reply)) or reply.has("other_person")
    is_named = _names_anothers(case)
    is_phrase = reply.has("topic") and case.is_bare("topic", "other_person", spans=_list_person_spans(case))
    is_pointed = is_named or is_phrase or reply.has("not_me") or reply.has("pointer") or case.has_no
    if not targets or reply.has("unreal") or reply.has("challenge"):
        return []
    if reply.has("stock") and not reply.has("topic"):
        return []  # "they have no S left" speaks of the shop
    if reply.has("also") and not (reply.has("not_me") or case.has_no):
        return []  # "my sister is allergic too" takes nothing from the user
    if reply.has("not_me") and not has_other and not reply.has("reject") and _is_only_not_me(case):
        return _deny_subject(case, targets)
    if not (has_other and is_pointed) or _is_errand(case) or _says_more(case):
        return []
    if reply.is_question(0) and not reply.has("not_me"):
        case.refuse("question")
        return []
    return [make_operation("deactivate", fact, "wrong_subject") for fact in _narrow(case, targets)]


def _names_anothers(case: Case) -> bool:
    """The stored value itself is put down to somebody else: "500 is my sister's budget", "42 носит дочь"."""
    own = [fact for fact in case.named if fact in case.asserted and fact.knowledge_type != "hard_ban"]
    if not own or case.reply.has("also"):
        return False
    places = [place for place in range(len(case.reply.message.tokens)) if case.reply.message.segment(place)[0] == place]
    return any(is_of_another(case.reply, *case.reply.message.segment(place)) for place in places)


def _is_only_not_me(case: Case) -> bool:
    return case.is_bare("not_me", "denial", "pointer", "topic", "self", "ended", "polite")


def _deny_subject(case: Case, targets: list[Fact]) -> list[Operation]:
    narrowed = case.list_of_kind(targets)
    if len(narrowed) == 1 or case.reply.has("topic"):
        kind = "user_denied" if case.reply.has("topic") else "wrong_subject"
        return [make_operation("deactivate", fact, kind) for fact in narrowed]
    return [make_operation("dispute", fact, "ambiguous") for fact in narrowed]


def _is_errand(case: Case) -> bool:
    """ "No, I'm looking for my sister": a person, and nothing that says whose the fact is."""
    reply = case.reply
    if reply.has("not_me"):
        return False
    if reply.has("request") or reply.has("reject"):
        return True
    return not (reply.has("pointer") or reply.has("topic") or _names_anothers(case))


def _opens_question(reply: Text) -> bool:
    """А там точно нет никеля? The first words ask, so the "no" among them denies nothing."""
    return any(cue.start == 0 for cue in reply.list_cues("question"))


def _list_person_spans(case: Case) -> tuple[tuple[int, int], ...]:
    return tuple((person.start, person.end) for person in list_people(case.reply))


def _says_more(case: Case) -> bool:
    """Whether the reply speaks of other things as well: then the person in it may have nothing to do with the turn."""
    if list_events(case.reply) or case.reply.message.marks.get("budget_other"):
        return True
    spans = list(_list_person_spans(case))
    keys = {fact.knowledge_key for fact in case.asserted}
    spans += [(match.start, match.end) for match in list_values(case.reply) if match.canonical in keys]
    if case.named:
        spans += [(amount.start, amount.end) for amount in list_amounts(case.reply)]
        spans += [(size.start, size.end) for size in list_sizes(case.reply)]
    unknown = len(case.reply.uncovered(SUBJECT_WORDS, spans))
    return unknown > (MAX_UNKNOWN_WORDS if case.reply.has("not_me") else 1)


def _narrow(case: Case, targets: list[Fact]) -> list[Fact]:
    named = [fact for fact in targets if fact in case.named]
    return named or case.list_of_kind(targets)


def dispute_asserted(case: Case) -> list[Operation]:
    """A challenge with no value: the facts it names, else all that the turn asserts, become disputed."""
    if not (case.reply.has("challenge") and case.has_turn):
        return []
    named = [fact for fact in case.named if fact in case.asserted] or case.named
    if not named and not _challenges_another(case):
        named = case.asserted
    if not named:
        case.refuse("nothing_asserted")
        return []
    return [make_operation("dispute", fact, "ambiguous") for fact in case.list_of_kind(named)]


def _challenges_another(case: Case) -> bool:
    """ "I never said I like green" after a turn about a size: the claim that is challenged is of another thing."""
    phrases = case.reply.covered(("challenge",))
    named = [*list_values(case.reply), *list_events(case.reply)]
    return any(match.start not in phrases for match in named)


def deny_asserted(case: Case) -> list[Operation]:
    """A bare denial: one asserted fact falls, several become disputed. A no to an offer or to an item is none."""
    if not (case.has_no or _says_different(case) or _denies_topic(case) or case.has_ended):
        return []
    if not case.asserted:
        case.refuse("nothing_asserted")
        return []
    reason = _find_veto(case)
    if reason:
        case.refuse(reason)
        return []
    named = [fact for fact in case.named if fact in case.asserted]
    targets = case.list_of_kind(named or case.asserted)
    if len(targets) > 1:
        return [make_operation("dispute", fact, "ambiguous") for fact in targets]
    kind = "outdated" if case.is_recent else "user_denied"
    return [make_operation("deactivate", targets[0], kind)]


def _names_other_things(case: Case) -> bool:
    """A value, event or kind that the turn did not assert: the no is about that."""
    if list_events(case.reply) and not any(fact.knowledge_type == "life_event" for fact in case.asserted):
        return True
    keys = {fact.knowledge_key for fact in case.asserted}
    if any(match.canonical not in keys for match in list_values(case.reply)):
        return True
    return not case.list_of_kind(case.asserted)


def _says_different(case: Case) -> bool:
    """ "My size is different": the kind is named and so is the change."""
    return case.reply.has("different") and case.reply.has("topic")


def _denies_topic(case: Case) -> bool:
    """ "I don't have a budget": the kind is named and negated."""
    return any(cue.meaning != "hard_ban" and case.reply.is_negated(cue.start) for cue in case.reply.list_cues("topic"))


def _find_veto(case: Case) -> str | None:
    reply = case.reply
    if _names_other_things(case):
        return "something_else_is_said"
    if reply.has("polite") and not case.has_firm_no:
        return "offer_declined"
    if reply.has("reject") or (reply.has("praise") and not case.has_firm_no):
        return "item_rejected"
    if reply.has("why") or reply.has("unreal"):
        return "not_stated"
    if case.is_offer and not (case.has_firm_no or reply.has("topic") or case.has_ended):
        return "offer_declined"
    if reply.has("request") or (reply.is_question(0) and (_opens_question(reply) or not case.has_no)):
        return "request"
    if restates_value(case):
        return "said_again"
    if case.has_ended and not reply.has("ended"):
        return None
    unknown = len(reply.uncovered(KNOWN_WORDS))
    is_firm = case.has_firm_no or _says_different(case)
    if unknown > (MAX_UNKNOWN_WORDS if is_firm else 0):
        return "something_else_is_said"
    return None


def confirm_asserted(case: Case) -> list[Operation]:
    """Yes about a disputed fact. A sound one needs nothing."""
    if not is_confirming(case):
        return []
    targets = [fact for fact in case.asserted if fact.is_disputed]
    named = [fact for fact in targets if fact in case.named]
    return [make_operation("confirm", fact) for fact in case.list_of_kind(named or targets)]


def is_confirming(case: Case) -> bool:
    """Whether the reply says that memory is right: yes, the value again, "no, I do have it", no to "am I wrong?"."""
    reply = case.reply
    if reply.has("unreal") or reply.has("challenge"):
        return False
    stands = [cue for cue in reply.list_cues("stands") if _is_standing(case, cue)]
    if stands and not reply.has("ended") and not _names_another(case):
        return not (case.is_offer and not case.has_no)
    if case.is_doubt and case.has_no and not case.has_firm_no:
        return case.is_bare("denial", "pointer", "self", "affirm") or _says_ban_again(case)
    if case.is_doubt and case.has_no:
        return False
    if case.has_no or reply.has("negation") or _names_another(case):
        return False
    if case.is_offer or case.is_doubt:
        return False
    if reply.has("affirm"):
        return _starts_with_yes(case)
    if reply.has("ended") or reply.is_question(0) or reply.has("reject"):
        return False
    return bool(case.named) and not _passes_back(case)


def _passes_back(case: Case) -> bool:
    """Whether a value is named in words that are quoted, copied or ascribed to memory: they confirm nothing (M-5)."""
    reply = case.reply
    if reply.has("cited"):
        return True
    places = [match.start for match in (*list_values(reply), *list_events(reply))]
    places += [size.start for size in list_sizes(reply)] + [amount.start for amount in list_amounts(reply)]
    return any(map(case.is_passed_back, places))


def _says_ban_again(case: Case) -> bool:
    """ "No, I really don't wear it", about a ban."""
    is_ban = bool(case.asserted) and all(fact.knowledge_type == "hard_ban" for fact in case.asserted)
    if not is_ban or not any(case.reply.is_negated(cue.start) for cue in case.reply.list_cues("worn")):
        return False
    return case.is_bare("denial", "pointer", "self", "affirm", "negation", "worn", "allow", "it", "shut")


def _is_standing(case: Case, cue: Cue) -> bool:
    """ "لا عندي" says so only when it is the whole reply: with a thing after it the no belongs to the turn."""
    if cue.meaning == "bare" and not case.is_bare("stands", "denial", "affirm", "self"):
        return False
    return not _is_refuted(case, cue.start)


def _is_refuted(case: Case, place: int) -> bool:
    return case.reply.is_negated(place, reach=1)


def _names_another(case: Case) -> bool:
    return bool(list_people(case.reply)) and not any(f.knowledge_type == "life_event" for f in case.asserted)


def _starts_with_yes(case: Case) -> bool:
    """A yes in the first words, after fillers at most."""
    first = case.reply.list_cues("affirm")[0].start
    if case.is_passed_back(first):
        return False
    fillers = case.reply.covered(("hush", "affirm", "recent", "topic"))
    return all(
        place in fillers or token.kind == "mark" for place, token in enumerate(case.reply.message.tokens[:first])
    )
