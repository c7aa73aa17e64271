"""Materials, cuts, colours and brands that a reply takes back, allows again or puts in another's place. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from corrections.recognition.case import Case, make_operation
from corrections.recognition.mentions import NAMED_TYPES, is_of_another, list_people, list_values
from corrections.recognition.texts import Text
from corrections.recognition.types import Operation
from memory.types import Fact
from patterns.matching.lexicon import LexiconMatch
from patterns.statements.reports import is_reported

NEGATION_REACH = 5
BAN_ONLY = ("cut", "garment", "pattern", "colour", "brand")
"""Categories that nobody is allergic to."""


@dataclass(frozen=True, slots=True)
class Said:
    """A value of the reply and what is said of it: `denied`, `gone` ("of silk, no"), `allowed`, `stated` or `plain`."""

    match: LexiconMatch
    stance: str

    @property
    def key(self) -> str:
        """The canonical value, as facts are keyed by it."""
        return self.match.canonical


def correct_things(case: Case) -> list[Operation]:
    """Operations on allergies, bans and brands, value by value; then replies that name none ("I wear them now")."""
    said = [Said(match, _find_stance(case.reply, match)) for match in list_values(case.reply)]
    if not said:
        return _correct_unnamed(case)
    if _is_unsaid(case, said):
        return []
    closed = _close_named(case, said)
    return closed + _replace(case, said, closed)


def restates_value(case: Case) -> bool:
    """Whether the reply says an asserted ban or allergy once more ("never show me sequins"): no denial of it."""
    keys = {fact.knowledge_key for fact in case.asserted if fact.knowledge_type in NAMED_TYPES}
    return any(
        match.canonical in keys and _find_stance(case.reply, match) == "stated" for match in list_values(case.reply)
    )


def _is_unsaid(case: Case, said: list[Said]) -> bool:
    """Supposed, asked or wanted from the shop: nothing is stated."""
    reply = case.reply
    if reply.has("unreal") or reply.has("question"):
        case.refuse("not_stated")
        return True
    if all(reply.is_question(s.match.start) for s in said):
        case.refuse("question")
        return True
    return False


def _find_stance(reply: Text, match: LexiconMatch) -> str:
    start, end = reply.message.segment(match.start)
    if _is_shunned(reply, start, end, match):
        return "stated"
    if any(not reply.is_negated(cue.start, reach=2) for cue in reply.list_cues("allow", start=start, end=end)):
        is_allergy_denied = reply.has("topic", "allergy", start=start, end=end) and reply.is_negated(match.start)
        return "denied" if is_allergy_denied else "allowed"
    if reply.is_negated(match.start, reach=NEGATION_REACH) or _has_no_allergy(reply, start, match):
        return "denied"
    if _is_followed_by_no(reply, match, end):
        return "gone"
    if reply.has("topic", "allergy", start=start, end=end) or reply.has("topic", "hard_ban", start=start, end=end):
        return "stated"
    return "plain"


def _has_no_allergy(reply: Text, start: int, match: LexiconMatch) -> bool:
    """ "нет аллергии на шёлк", "нет silk allergy": the no belongs to the word for allergy, not to what was asked."""
    if reply.has("topic", "allergy", start=match.end, end=match.end + 1) and _is_no_before(reply, match.start):
        return True
    before = reply.list_cues("topic", "allergy", start=start, end=match.start)
    return any(_is_no_before(reply, cue.start) for cue in before)


def _is_shunned(reply: Text, start: int, end: int, match: LexiconMatch) -> bool:
    """ "I don't wear fur", "no fur": a ban said again, which is no denial of it."""
    verbs = [
        cue
        for name in ("allow", "worn")
        for cue in reply.list_cues(name, start=start, end=end)
        if cue.meaning != "accept"
    ]
    if any(reply.is_negated(cue.start, reach=3) or _is_forbidden(reply, cue.start) for cue in verbs):
        return True
    return any(
        cue.end == match.start and not reply.has("topic", "allergy", start=start, end=end)
        for cue in reply.list_cues("ban_word", start=start, end=match.start)
        if cue.start > start or cue.meaning != "none" or not reply.has("denial", start=cue.start, end=cue.end)
    )


def _is_forbidden(reply: Text, place: int) -> bool:
    """Whether the word right before is the "no" of a ban ("لا تعرضين")."""
    return any(cue.end == place for cue in reply.list_cues("ban_word", end=place))


def _is_followed_by_no(reply: Text, match: LexiconMatch, end: int) -> bool:
    """ "на шёлк аллергии нет": the no comes after."""
    near = reply.list_cues("denial", "plain", start=match.end, end=min(end, match.end + 5))
    return bool(near) and not reply.has("only", start=match.end, end=end)


def _close_named(case: Case, said: list[Said]) -> list[Operation]:
    operations: list[Operation] = []
    for fact in case.named:
        if fact.knowledge_type not in NAMED_TYPES:
            continue
        own = [s for s in said if s.key == fact.knowledge_key]
        kind = next((kind for s in own if (kind := _find_correction(case, fact, s))), None)
        is_said_again = kind == "user_denied" and any(s.stance == "stated" for s in own)
        if kind and not is_said_again:
            operations.append(make_operation("deactivate", fact, kind))
    return operations + _close_others(case, said, operations)


def _find_correction(case: Case, fact: Fact, said: Said) -> str | None:
    """The correction type with which a named fact is closed, None when it is not."""
    reply = case.reply
    start, end = reply.message.segment(said.match.start)
    if reply.has("stock", start=start, end=end) and not reply.has("topic", start=start, end=end):
        return None  # "the leather one is not available": what the shop lacks says nothing of the user
    is_asserted = fact in case.asserted
    is_recent = reply.has("recent") or reply.has("ended") or reply.has("ended", start=start, end=end)
    if is_of_another(reply, start, end):
        is_answer = reply.has("not_me") or reply.has("pointer") or case.has_no
        is_both = reply.message.has_in("both", start, end)
        return "wrong_subject" if is_asserted and is_answer and not is_both and not reply.has("challenge") else None
    if said.stance == "allowed":
        if not is_asserted and not is_recent:
            return None
        is_worn = any(cue.meaning != "accept" for cue in reply.list_cues("allow", start=start, end=end))
        return "outdated" if is_recent or not is_worn else "user_denied"
    if said.stance == "denied" or (said.stance == "gone" and fact.knowledge_type == "allergy"):
        is_named_plainly = fact.knowledge_type == "allergy" and reply.has("topic", "allergy")
        if reply.has("challenge", "unsaid") or not (is_asserted or is_named_plainly):
            return None
        return "outdated" if reply.has("ended") else "user_denied"
    if said.stance != "stated" and reply.has("ended", start=start, end=end) and is_asserted:
        return "outdated"
    is_over = any(reply.has(name, start=start, end=end) for name in ("ended", "over"))
    if said.stance == "stated" and is_over and fact.knowledge_type == "allergy":
        return "outdated"
    return None


def _close_others(case: Case, said: list[Said], closed: list[Operation]) -> list[Operation]:
    """ "Only wool": of several asserted facts of one type those that are not named fall."""
    is_denied = any(s.stance in ("denied", "allowed") for s in said)
    if closed or is_denied or not any(_is_only(case.reply, s.match) for s in said):
        return []
    kept = [f for f in case.named if f in case.asserted and f.knowledge_type in NAMED_TYPES]
    kinds = {fact.knowledge_type for fact in kept}
    fallen = [f for f in case.asserted if f.knowledge_type in kinds and f not in kept]
    return [make_operation("deactivate", fact, "user_denied") for fact in fallen]


def _is_only(reply: Text, match: LexiconMatch) -> bool:
    """Whether an "only" stands before the value or right after it."""
    start, _ = reply.message.segment(match.start)
    return reply.has("only", start=start, end=match.start) or reply.has("only", start=match.end, end=match.end + 1)


def _replace(case: Case, said: list[Said], closed: list[Operation]) -> list[Operation]:
    """A denial with another value: the old key is closed, the new one set."""
    new = [s for s in said if s.stance in ("plain", "stated") and not _is_stored(case, s)]
    old = _list_replaced(case, new, closed)
    is_about_skin = any(fact.knowledge_type == "allergy" for fact in old)  # silver is a metal there and no colour
    new = [s for s in new if s.stance == "stated" or s.key not in case.tastes or is_about_skin or _has_taste(case, old)]
    if not new or not old:
        return []
    if not closed and not _is_denied_before(case, new[0].match.start):
        return []
    start, end = case.reply.message.segment(new[0].match.start)
    if is_of_another(case.reply, start, end) or case.reply.is_question(new[0].match.start):
        return []
    if case.reply.has("reject") and not closed:
        case.refuse("item_rejected")
        return []
    kind = old[0].knowledge_type
    keys = list(dict.fromkeys(s.key for s in new if kind != "allergy" or s.match.category not in BAN_ONLY))
    if not keys:
        return []
    done = {operation.slot for operation in closed}
    keys = [key for key in keys if (kind, key) not in done]
    ended = [make_operation("deactivate", fact, "user_denied") for fact in old if fact.slot not in done]
    return ended + [
        Operation("set", kind, key, value=key, correction_type="user_denied")
        for key in keys
        if kind != "brand_preference"
    ]


def _has_taste(case: Case, facts: list[Fact]) -> bool:
    return any(fact.knowledge_key in case.tastes for fact in facts)


def _is_denied_before(case: Case, place: int) -> bool:
    """Whether the reply disputes the turn before it comes to its new value."""
    no = case.find_no()
    is_late = no is not None and no > place
    return case.is_protest and not (is_late and not case.has_firm_no and not case.reply.has("challenge"))


def _is_stored(case: Case, said: Said) -> bool:
    kinds = {fact.knowledge_type for fact in case.asserted} & set(NAMED_TYPES)
    return any(f.knowledge_key == said.key and f.knowledge_type in kinds for f in case.facts)


def _list_replaced(case: Case, new: list[Said], closed: list[Operation]) -> list[Fact]:
    """The facts whose place the new values take: closed by this reply, else asserted by the turn and not said again."""
    facts = [operation.fact for operation in closed if operation.fact and operation.correction_type != "outdated"]
    if not facts:
        facts = [f for f in case.asserted if f.knowledge_type in NAMED_TYPES and f not in case.named]
    kinds = _list_kinds(case, new)
    return [fact for fact in facts if not kinds or fact.knowledge_type in kinds]


def _list_kinds(case: Case, new: list[Said]) -> set[str]:
    """What the reply itself calls it: an allergy, or a ban."""
    if case.reply.has("topic", "allergy"):
        return {"allergy"}
    if any(s.match.category in BAN_ONLY for s in new):
        return {"hard_ban", "brand_preference"}
    return {"hard_ban"} if any(s.stance == "stated" for s in new) else set()


def _correct_unnamed(case: Case) -> list[Operation]:
    """No value is named: "I do wear it", "it's fine now", "I have no allergies" about the one that the turn asserts."""
    targets = [fact for fact in case.asserted if fact.knowledge_type in NAMED_TYPES]
    reply = case.reply
    if not targets or reply.has("unreal") or reply.has("reject"):
        return []
    if _denies_allergy(case):
        return [make_operation("deactivate", f, _name_kind(case)) for f in targets if f.knowledge_type == "allergy"]
    targets = [fact for fact in targets if fact.knowledge_type != "brand_preference"]
    if len(targets) != 1 or not _allows_it(case):
        return []
    is_lifted = reply.has("recent") or reply.has("ended") or reply.has("allow", "accept")
    return [make_operation("deactivate", targets[0], "outdated" if is_lifted else "user_denied")]


def _name_kind(case: Case) -> str:
    return "outdated" if case.is_recent else "user_denied"


def _denies_allergy(case: Case) -> bool:
    reply = case.reply
    cues = reply.list_cues("topic", "allergy")
    if not cues or reply.has("challenge") or (reply.has("stands") and not reply.has("negation")):
        return False
    if list_people(reply) or reply.has("other_person") or is_reported(reply.message, cues[0].start, cues[0].end):
        return False
    return any(
        reply.is_negated(cue.start) or _is_no_after(reply, cue.end) or _is_no_before(reply, cue.start) for cue in cues
    )


def _is_no_after(reply: Text, place: int) -> bool:
    end = reply.message.segment(place - 1)[1]
    return reply.has("denial", "plain", start=place, end=end) or reply.has("ended", start=place, end=end)


def _is_no_before(reply: Text, place: int) -> bool:
    """ "No allergies", "нет у меня аллергии": the no stands right before, with no comma between."""
    own = next((cue for cue in reply.list_cues("self", end=place) if cue.end == place), None)
    place = own.start if own is not None and own.language == "ru" else place
    return any(cue.end == place for cue in reply.list_cues("ban_word", end=place)) or any(
        cue.end == place and (cue.meaning == "echo" or cue.language in ("en", "ru"))
        for cue in reply.list_cues("denial", end=place)
    )


def _allows_it(case: Case) -> bool:
    """One segment says that it is worn, or that it is all right by now, and nothing else."""
    cues = case.reply.list_cues("allow")
    if any(case.reply.is_negated(cue.start, reach=3) for cue in cues):
        return False
    if _has_changed_mind(case):
        return True
    return any(_is_lifting(case, *case.reply.message.segment(cue.start)) for cue in cues)


def _has_changed_mind(case: Case) -> bool:
    """ "I changed my mind", and nothing else: the one thing that the turn says is shunned is so no more."""
    again = [cue for cue in case.reply.list_cues("recent", "again") if cue.end - cue.start > 1]
    return bool(again) and case.is_bare("recent", "denial", "it", "pointer", "self", "affirm")


def _is_lifting(case: Case, start: int, end: int) -> bool:
    reply = case.reply
    known = ("hush", "allow", "denial", "recent", "it", "pointer", "self", "ended", "polite", "make_it", "affirm")
    if reply.is_question(start) or any(start <= place < end for place in reply.uncovered(known)):
        return False
    is_about_it = reply.has("it", start=start, end=end) or case.has_no
    is_now = reply.has("recent", start=start, end=end) or reply.has("ended", start=start, end=end)
    if reply.has("allow", "wear", start=start, end=end):
        return is_about_it or is_now or end - start <= 3
    if reply.has("allow", "permit", start=start, end=end):
        return is_about_it or is_now
    if not reply.has("allow", "accept", start=start, end=end) or not is_now:
        return False
    is_back = reply.has("recent", "again", start=start, end=end)
    return is_about_it or is_back or reply.has("pointer", start=start, end=end)
