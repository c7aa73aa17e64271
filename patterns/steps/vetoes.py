"""Reasons to refuse a statement before its value is looked at (ENGINE steps 4 to 6). Each reason has its own code."""

from __future__ import annotations

from patterns.lexicon import LexiconMatch
from patterns.steps.frames import has_named_owner, is_called_untrue, is_headed_by_other
from patterns.steps.message import Message
from patterns.steps.questions import is_question
from patterns.steps.strangers import is_answered_no
from patterns.steps.unknown import is_strange, is_told_by_another

_ASIDE = ("oath", "filler", "greeting", "laugh")
_BESIDE = frozenset(("before", "behind", "after", "ahead", "beside", "near"))
_SHORT_SEGMENT = 4
_MINE = frozenset(("моя", "мой", "мои", "моей", "моего", "моему", "моих", "наша", "наш"))
_PARTICLES = frozenset(("бы", "б"))
_BUTS = frozenset(("but", "however", "но", "однако", "зато"))
_I = frozenset(("i", "id", "i'd", "im", "i'm", "ill", "i'll", "ive", "we", "я", "мне", "انا"))
_TOLD = frozenset(("you", "u", "to", "me"))
_TOLD_ONES = frozenset(("me", "us", "мне", "меня", "нам", "нас"))
_PEOPLE = frozenset(("self", "both", "relation", "other"))
_KNOWN_LOOKS = ("pronoun", "limit_word")  # "what my budget looks like" is no guess
_SAID_REACH = 3  # words between a statement and the verb of saying that follows it
TITLE_REACH = 10  # words between what is named like a fact and the word for a book, film or song
LONGEST_PRONOUN = 3  # letters of "she", "him": in Russian a thing may be meant
SHORT_CLAUSE = 6  # tokens of one that leans on the clause before


def find_statement_veto(
    message: Message,
    start: int,
    end: int,
    *,
    is_event: bool = False,
    is_reaction: bool = False,
    is_order: bool = False,
    exposures: tuple[int, ...] = (),
) -> str | None:
    """Why tokens [start, end) are not the writer's own present statement; None when nothing speaks against it.

    What a body does "whenever I wear" or "if I wear" something is neither a condition nor the past. `exposures`: the
    tokens of an "if" or "when" that only say so.
    """
    question = (start, end, is_event, is_reaction, is_order, exposures, len(message.consumed))
    if question not in message.cache:
        message.cache[question] = _find_veto(message, *question[:6])
    answer: str | None = message.cache[question]
    return answer


def _find_veto(
    message: Message,
    start: int,
    end: int,
    is_event: bool,
    is_reaction: bool,
    is_order: bool,
    exposures: tuple[int, ...],
) -> str | None:
    if message.quoted[start]:
        return "quoted"
    if is_forwarded(message, start):
        return "forwarded"
    if is_question(message, start, end):
        return "question"
    if is_answered_no(message, end):
        return "negated"
    if is_conditional(message, start, end, is_reaction=is_reaction or is_order, exposures=exposures):
        return "conditional"
    if has_near(message, "wish", start, end, exposures=exposures):
        return "wish"
    if is_hedged(message, start, end):
        return "hedge"
    if is_reported(message, start, end):
        return "reported"
    if not is_event and is_told_by_another(message, start, end):
        return "other_subject"
    if is_called_untrue(message, start):
        return "denied"
    if not is_event and (is_headed_by_other(message, start) or has_named_owner(message, start)):
        return "other_subject"
    if is_sarcastic(message, is_order=is_order):
        return "sarcasm"
    if message.has_uncovered_in("title", ("filler", "event"), message.segment(start)[0], start):
        return "title"
    if not is_event and _is_titled(message, end):
        return "title"
    if not is_event and is_past(message, start, end, is_reaction=is_reaction):
        return "past"
    return None


def _is_titled(message: Message, end: int) -> bool:
    """The Silk Allergy, what a boring novel: with no "I" in the clause the words name a work."""
    if "title_word" not in message.marks:
        return False
    named = message.find_in("title_word", end, min(end + TITLE_REACH, len(message.tokens)))
    return named is not None and not message.has_in("self", message.clause(end - 1)[0], named.start)


def is_sarcastic(message: Message, *, is_order: bool) -> bool:
    """A mark of sarcasm anywhere; rolling eyes leave an order what it is."""
    return any(
        mark.end == len(message.tokens) if mark.canonical == "tail" else mark.canonical != "emoji" or not is_order
        for mark in message.marks.get("sarcasm", ())
    )


def is_forwarded(message: Message, start: int) -> bool:
    """Text passed on (a mark among the first words) or a product card (labels of a shop)."""
    known = message.cache.get("card")
    if known is None:
        known = message.cache["card"] = _is_card(message)
    return bool(known)


def _is_card(message: Message) -> bool:
    if message.find_in("forwarded", 0, 4) is not None:
        return True
    cards = {m.start for m in message.marks.get("card", ())}
    if len(cards) >= 2:
        return True
    bars = sum(token.text == "|" for token in message.tokens)
    if bars >= 2 and (cards or any(token.text == "%" for token in message.tokens)):
        return True
    pairs = sum(token.text == ":" for token in message.tokens)
    return bool(cards) and pairs >= 2


def is_conditional(
    message: Message, start: int, end: int, *, is_reaction: bool = False, exposures: tuple[int, ...] = ()
) -> bool:
    """If, unless, would: earlier in the clause, or later in the same segment."""
    if "conditional" not in message.marks:
        return False
    first, _ = message.clause(start)
    last = max(end, message.segment(end - 1)[1])
    found = [match for match in message.list_in("conditional", first, last) if match.start not in exposures]
    found = [m for m in found if not _is_left_behind(message, m, start) and not message.is_covered(m, ("cut",))]
    return any(not (is_reaction and message.is_covered(match, ("exposure",))) for match in found)


def _is_left_behind(message: Message, condition: LexiconMatch, start: int) -> bool:
    """Шикануть бы, но бюджет 600: what is only supposed ends before "but"; "бы" reaches no further than its segment."""
    number, here = message.segment_of[condition.start], message.segment_of[start]
    if number >= here:
        return False
    if message.tokens[condition.start].text in _PARTICLES and condition.end == condition.start + 1:
        return True
    return any(message.tokens[message.segments[n][0]].text in _BUTS for n in range(number + 1, here + 1))


def has_near(message: Message, category: str, start: int, end: int, *, exposures: tuple[int, ...] = ()) -> bool:
    """The category in the segments that the span touches, but for the tokens that say no such thing there."""
    if category not in message.marks:
        return False
    found = message.list_in(category, message.segment(start)[0], end_statement(message, end))
    return any(match.start not in exposures for match in found)


def end_statement(message: Message, end: int) -> int:
    """Where the segment of a statement ends, or before it where "and I" begins another: "I'm an M and I'd love red"."""
    last = message.segment(end - 1)[1]
    for conj in message.list_in("conj", end, last):
        if conj.end < last and message.tokens[conj.end].text in _I:
            return conj.start
    return last


def is_hedged(message: Message, start: int, end: int) -> bool:
    """Maybe, I think: in the same segment, or in a short one right before or after."""
    if "hedge" not in message.marks:
        return False
    if message.has_uncovered_in("hedge", _KNOWN_LOOKS, message.segment(start)[0], end_statement(message, end)):
        return True
    first, last = message.clause(start)
    before = message.segment_of[start] - 1
    while before > 0 and message.segments[before][0] > first and message.has_only(_ASIDE, *message.segments[before]):
        before -= 1  # "кажется, увы, у меня аллергия"
    if before >= 0 and message.segments[before][0] >= first and _is_only(message, "hedge", message.segments[before]):
        return not message.has_in("other", *message.segments[before])  # "everyone thinks M, but I'm an S"
    after = message.segment_of[end - 1] + 1
    if after < len(message.segments) and message.segments[after][0] < last:
        return _is_only(message, "hedge", message.segments[after])
    return False


def _is_only(message: Message, category: str, segment: tuple[int, int]) -> bool:
    match = message.find_in(category, *segment)
    return match is not None and segment[1] - segment[0] <= _SHORT_SEGMENT


def is_reported(message: Message, start: int, end: int) -> bool:
    """Somebody said it: a verb of saying earlier in the clause, or right after the statement."""
    if "quote" not in message.marks:
        return False
    first, last = message.clause(start)
    told = [*message.list_in("quote", first, start + 1), *message.list_in("quote", end, last)]
    return any(
        not message.is_covered(match, ("event",))
        and (match.start <= start or _closes(message, match, end))
        and _find_speaker(message, match, first, start) != "self"
        and not _is_diagnosis(message, match, start)
        and not _is_asked_for(message, match, start)
        and not any(
            m.start > match.end for m in message.list_in("contrast", match.end, start + 1) if match.start < start
        )
        and not message.has_in("turned_out", match.end, start + 1)
        for match in told
    )


def _find_speaker(message: Message, told: LexiconMatch, first: int, start: int) -> str | None:
    """Who said it: the nearest before the verb, or with the verb behind the statement the one behind the verb."""
    if told.start > start:
        if _is_said_by_name(message, told):
            return "other"
        after = _person_after(message, told.end, message.segment(told.start)[1])
        if after is not None:
            return after
    if _is_said_to_writer(message, first, told):
        return "other"
    return _nearest_person(message, first, told.start, with_named=True)


def _is_said_to_writer(message: Message, first: int, told: LexiconMatch) -> bool:
    """A lady stopped me and said: the "me" before the verb is whom somebody told."""
    own = message.find_last_in("self", first, told.start)
    if own is None or message.tokens[own.start].text not in _TOLD_ONES:
        return False
    return any(message.has_in(name, first, own.start) for name in ("relation", "other"))


def _is_said_by_name(message: Message, told: LexiconMatch) -> bool:
    """No heels, says Tim: the verb opens its segment and a name that nobody knows closes it."""
    first, last = message.segment(told.start)
    is_alone = told.start == first and told.end == told.start + 1
    return is_alone and told.end < last and message.tokens[told.end].script == "latin" and is_strange(message, told.end)


def _closes(message: Message, told: LexiconMatch, end: int) -> bool:
    """I'm an M, she says: the verb right behind the statement, or alone with its person in a segment of its own."""
    first, last = message.segment(told.start)
    if first < end:
        return told.start - end <= _SAID_REACH
    if told.start == first and message.at(told.end, "self") is None:
        return True  # "I never wear leopard, said the girl in leopard"
    return last - first <= _SHORT_SEGMENT and message.at(first, "contrast") is None


def _is_diagnosis(message: Message, told: LexiconMatch, start: int) -> bool:
    """The doctor says I'm allergic: a doctor's word on the user's body is the user's own news."""
    is_doctors = message.ends_with(told.start, "doctor")
    if is_doctors and told.end < start and message.tokens[told.end].text == ":":
        return not message.has_in("relation", message.clause(start)[0], start)  # "врач сказала: аллергия на никель"
    return is_doctors and told.end <= start and message.has_in("self", told.end, start + 1)


def _is_asked_for(message: Message, told: LexiconMatch, start: int) -> bool:
    """Reception said you need this: height 170. Behind the colon stands what somebody asked the writer to give."""
    words = [token.text for token in message.tokens[told.end : start]]
    return bool(words) and words[0] in _TOLD and ":" in words


def is_past(message: Message, start: int, end: int, *, is_reaction: bool = False) -> bool:
    """The nearest of "then" and "now" decides; a "then" counts within its own segment only."""
    if "past" not in message.marks and "reminiscence" not in message.marks:
        return False
    if message.has_in("reminiscence", message.clause(start)[0], start):
        return not message.has_in("now", message.segment(start)[0], message.segment(end - 1)[1])
    segment_start = message.segment(start)[0]
    segment_end = message.segment(end - 1)[1]
    if is_reaction and not message.has_uncovered_in("past", ("exposure",), segment_start, segment_end):
        return False
    over = [m for m in message.list_in("past", segment_start, start + 1) if not message.is_covered(m, ("now",))]
    past = over[-1] if over else None
    now = message.find_last_in("now", segment_start, start + 1)
    if past is not None and any(message.tokens[i].text == "im" for i in range(past.end, start + 1)):
        return False  # "found out last year I'm allergic" is how it is
    if past is not None or now is not None:
        return past is not None and (now is None or now.start < past.start)
    later = message.has_uncovered_in("past", ("since",), start, segment_end)
    return later and not message.has_in("now", start, segment_end)


def find_subject(message: Message, start: int, end: int) -> str | None:
    """Who the statement is about: "self", "both", "other", or None when nobody is named (then it is the user).

    The nearest person before the trigger in the clause, else one after it in the same segment.
    """
    if _PEOPLE.isdisjoint(message.marks):
        return None
    first, _ = message.clause(start)
    segment_start, _ = message.segment(start)
    if message.has_in("both", segment_start, end) or _has_both_before(message, first, start):
        return "both"
    before = _nearest_person(message, first, start)
    if before == "other" and _is_writer_after_all(message, first, message.clause(start)[1]):
        return "self"
    if before is not None:
        return before
    return _person_after(message, end, message.segment(end - 1)[1])


def _is_writer_after_all(message: Message, start: int, end: int) -> bool:
    """ "Девушка с аллергией на латекс, это я": who was named turns out to be the writer."""
    return any(decoy.canonical == "it_is_me" for decoy in message.list_in("decoy", start, end))


def _has_both_before(message: Message, first: int, start: int) -> bool:
    both = message.find_last_in("both", first, start)
    if both is None:
        return False
    people = [m for name in ("relation", "other") for m in message.list_in(name, both.end, start)]
    joined = min((m.start for m in people), default=start)
    if people and message.has_only(("conj", "self", "person_lead"), both.end, joined):
        return True  # "и у меня, и у дочки"
    return _nearest_person(message, both.end, start) is None


def _nearest_person(message: Message, first: int, start: int, *, with_named: bool = False) -> str | None:
    """The person before a token; `with_named`: also those whom an event is named after."""
    owned = [m for m in message.list_in("self", first, start + 1) if not _is_possessive(message, m)]
    own = owned[-1] if owned else None
    others = [m for c in ("relation", "other") for m in message.list_in(c, first, start + 1)]
    if not others:
        return None if own is None else "self"
    others = [m for m in others if with_named or m.start not in message.consumed]
    if "past" in message.marks or "reaction_link" in message.marks:
        others = [m for m in others if not message.is_covered(m, ("past", "reaction_link"))]
    if own is not None and any(m.start < own.start and own.end <= m.end for m in others):
        own = None  # "a friend of mine" is the friend
    elif own is not None:
        others = [m for m in others if m.start >= own.end or m.start < own.start]
    other = max(others, key=lambda m: m.start, default=None)
    if own is None and other is None:
        return None
    if other is None or (own is not None and own.start > other.start):
        return "self"
    if own is not None and own.end >= other.start and own.start < other.start and other.category == "relation":
        return "other"
    return "other"


def _is_possessive(message: Message, own: LexiconMatch) -> bool:
    """Сестра моя, мама у меня, a client of mine: the "my" behind a person belongs to that person."""
    text = message.tokens[own.start].text
    if text in ("mine", "ours"):
        return own.start > 0 and message.tokens[own.start - 1].text == "of"
    if text == "me" and own.start > 0 and message.tokens[own.start - 1].text in _BESIDE:
        return True  # "the lady before me took the last M"
    is_at = own.start > 0 and message.tokens[own.start - 1].text == "у"
    named = [m for m in message.ends[own.start - is_at] if m.start not in message.consumed]
    behind = {m.category for m in named if len(message.tokens[m.start].text) > LONGEST_PRONOUN}
    if is_at or (text == "у" and own.end - own.start > 1):  # "невестка у меня"
        return not behind.isdisjoint(("relation", "other"))
    return "relation" in behind and text in _MINE


def _person_after(message: Message, end: int, segment_end: int) -> str | None:
    own = message.find_in("self", end, segment_end)
    others = [m for c in ("relation", "other") for m in message.list_in(c, end, segment_end)]
    others = [m for m in others if m.start not in message.consumed]
    if own is not None and (not others or own.start < others[0].start):
        follows = bool(others) and others[0].start <= own.end
        return "other" if follows else "self"
    return "other" if others else None


def continues_about_other(message: Message, start: int) -> bool:
    """My son is 10. Height 140: a clause without a person goes on about whom the clause before named alone."""
    number = message.clause_of[start]
    first, last = message.clause(start)
    if not number or message.has_in("self", first, last):
        return False
    before = message.normal.clauses[number - 1]
    people = [m for category in ("relation", "other") for m in message.list_in(category, *before)]
    owned = {m.start for m in people}  # the "my" of "my daughter" is not the writer
    if last - first > SHORT_CLAUSE or any(m.end not in owned for m in message.list_in("self", *before)):
        return False
    return any(m.start not in message.consumed for m in people)


def is_negated(message: Message, start: int, *, reach: int = 3) -> bool:
    """A "not" within `reach` tokens before, in the same segment."""
    if "negator" not in message.marks:
        return False
    first = max(message.segment(start)[0], start - reach)
    negators = [m for m in message.list_in("negator", first, start) if not _means_to(message, m)]
    negators = [m for m in negators if not message.is_covered(m, ("self_correction",))]  # "M, no wait, L"
    return any(not message.ends_with(negator.end, "whenever") for negator in negators)


def _means_to(message: Message, negator: LexiconMatch) -> bool:
    """Arabizi "la" right before a number or a size is "to": ghayri mizaniyti la 900."""
    if message.tokens[negator.start].text != "la" or negator.end >= len(message.tokens):
        return False
    is_number = message.tokens[negator.end].kind == "number"
    return is_number or message.at(negator.end, "size_letter") is not None
