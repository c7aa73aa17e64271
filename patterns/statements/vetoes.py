"""Reasons to refuse a statement before its value is looked at. Each reason has its own code."""

from __future__ import annotations

from patterns.matching.lexicon import LexiconMatch
from patterns.statements.afterthoughts import find_afterthought
from patterns.statements.frames import has_named_owner, is_called_untrue, is_headed_by_other
from patterns.statements.questions import is_question
from patterns.statements.recitals import find_recital
from patterns.statements.reports import is_reported
from patterns.statements.strangers import is_answered_no
from patterns.statements.unknown import is_told_by_another
from patterns.steps.clauses import is_linked
from patterns.steps.message import Message

_ASIDE = ("oath", "filler", "greeting", "laugh")
_SHORT_SEGMENT = 4
_NO_PAST = ("now", "since", "date_phrase")  # "since I had my baby", "اول الشهر" tell of today
_KNOWN_LOOKS = ("pronoun", "limit_word", "cut")  # "what my budget looks like" is no guess
MAX_MARK = 4  # words of a message among which a mark of passing on stands
TITLE_REACH = 10  # words between what is named like a fact and the word for a book, film or song
LONG_NOT = 2  # more words of one "not": its last one is within reach
_NOT_DENYING = ("self_correction", "approximately")  # "M, no wait, L"; "ما بين سمول وميديم"


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
    if is_forwarded(message):
        return "forwarded"
    if (recital := find_recital(message, start, end)) is not None:
        return recital
    if is_question(message, start, end):
        return "question"
    if (afterthought := find_afterthought(message, end)) is not None:
        return afterthought
    if is_answered_no(message, end):
        return "negated"
    if is_conditional(message, start, end, is_reaction=is_reaction or is_order, exposures=exposures):
        return "conditional"
    if _is_wished(message, start, end, exposures):
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


def is_forwarded(message: Message) -> bool:
    """Text passed on (a mark among the first words) or a product card (labels of a shop)."""
    known = message.cache.get("card")
    if known is None:
        known = message.cache["card"] = _is_card(message)
    return bool(known)


def _is_card(message: Message) -> bool:
    if any(m.start < MAX_MARK or message.tokens[m.end - 1].text == ":" for m in _list_forwarded(message)):
        return True
    cards = {m.start for m in message.marks.get("card", ())}
    if len(cards) >= 2:
        return True
    bars = sum(token.text == "|" for token in message.tokens)
    if bars >= 2 and (cards or any(token.text == "%" for token in message.tokens)):
        return True
    pairs = sum(token.text == ":" for token in message.tokens)
    return bool(cards) and pairs >= 2


def _list_forwarded(message: Message) -> list[LexiconMatch]:
    """Words of passing on with the colon that follows: "is it summer yet? from the chat: budget 400"."""
    found = message.marks.get("forwarded", ())
    heads = [
        m._replace(end=m.end + 1) for m in found if m.end < len(message.tokens) and message.tokens[m.end].text == ":"
    ]
    return [*found, *heads]


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
    if message.tokens[condition.start].text in message.grammar.would_particles and condition.end == condition.start + 1:
        return True
    opening, buts = [message.segments[n][0] for n in range(number + 1, here + 1)], message.grammar.but_words
    return any(message.tokens[place].text in buts or is_linked(message.starts[place]) for place in opening)


def _is_wished(message: Message, start: int, end: int, exposures: tuple[int, ...]) -> bool:
    """A wish in the segments of the statement: not "72 kg and trying to lose", nor a word that says no such thing."""
    if "wish" not in message.marks:
        return False
    found = message.list_in("wish", message.segment(start)[0], end_statement(message, end))
    return any(match.start not in exposures and not _is_added(message, match, end) for match in found)


def _is_added(message: Message, match: LexiconMatch, end: int) -> bool:
    """Whether an "and" right before the words adds them to a statement that ends at `end`."""
    is_joined = match.has_and or any(m.category == "conj" for m in message.ends[match.start])
    return match.start >= end and is_joined


def end_statement(message: Message, end: int) -> int:
    """Where the segment of a statement ends, or before it where "and I" begins another: "I'm an M and I'd love red"."""
    last = message.segment(end - 1)[1]
    for conj in message.list_in("conj", end, last):
        if conj.end < last and message.tokens[conj.end].text in message.grammar.i_words:
            return conj.start
    return last


def is_hedged(message: Message, start: int, end: int) -> bool:
    """Maybe, I think: in the same segment, or in a short one right before or after."""
    if "hedge" not in message.marks:
        return False
    found = message.list_in("hedge", message.segment(start)[0], end_statement(message, end))
    found = [hedge for hedge in found if not message.is_covered(hedge, _KNOWN_LOOKS)]
    if any(hedge.start < end or not _is_of_more(message, hedge) for hedge in found):
        return True
    first, last = message.clause(start)
    before = message.segment_of[start] - 1
    while before > 0 and message.segments[before][0] > first and message.has_only(_ASIDE, *message.segments[before]):
        before -= 1  # "кажется, увы, у меня аллергия"
    # "not sure of my size, but 65 kg"
    is_but = message.tokens[message.segment(start)[0]].text in message.grammar.but_words
    is_near = before >= 0 and message.segments[before][0] >= first and not is_but
    if is_near and (_is_only(message, message.segments[before]) or _closes_doubt(message, before)):
        return not message.has_in("other", *message.segments[before])  # "everyone thinks M, but I'm an S"
    after = message.segment_of[end - 1] + 1
    if after < len(message.segments) and message.segments[after][0] < last:
        return _is_only(message, message.segments[after])
    return False


def _is_of_more(message: Message, hedge: LexiconMatch) -> bool:
    """عرس صديقتي السبت وما أدري شو ألبس: an "and don't know" with what is not known is about that."""
    if not hedge.has_and or message.at(hedge.start, "negator") is None:
        return False
    last = message.segment(hedge.start)[1]
    if message.has_only((*_ASIDE, "pronoun"), hedge.end, last):
        return False
    return not any(message.has_in(name, hedge.end, last) for name in ("size_letter", "number"))


def _closes_doubt(message: Message, number: int) -> bool:
    """Доставку отменили и наверное, я M: the doubt stands right before the comma."""
    comma = message.segments[number][1] - 1
    return message.tokens[comma].text == "," and message.ends_with(comma, "hedge")


def _is_only(message: Message, segment: tuple[int, int]) -> bool:
    """Size M, I guess / M or so, not sure: it says no more; "I feel five years old" tells of itself."""
    match = message.find_in("hedge", *segment)
    if match is None or segment[1] - segment[0] > _SHORT_SEGMENT or _is_of_more(message, match):
        return False
    return not any(
        message.unnamed[index] and not match.start <= index < match.end for index in range(match.end, segment[1])
    )


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
    over = [m for m in message.list_in("past", segment_start, start + 1) if not message.is_covered(m, _NO_PAST)]
    past = over[-1] if over else None
    now = message.find_last_in("now", segment_start, start + 1)
    i_am = message.grammar.i_am
    if past is not None and any(token.text in i_am for token in message.tokens[past.end : start + 1]):
        return False  # "found out last year I'm allergic" is how it is
    if past is not None or now is not None:
        return past is not None and (now is None or now.start < past.start)
    told = _find_told_behind(message, end, segment_end)
    later = message.has_uncovered_in("past", ("since",), start, told)
    return later and not message.has_in("now", start, told)


def _find_told_behind(message: Message, end: int, last: int) -> int:
    """Where an emoji and an "I" behind a statement that ends at `end` open another: "no prints please 😩 I was"."""
    opened = (i for i in range(end, last - 1) if message.tokens[i].is_picture)
    return next((i for i in opened if message.tokens[i + 1].text in message.grammar.i_words), last)


def is_negated(message: Message, start: int, *, reach: int = 3) -> bool:
    """A "not" within `reach` tokens before, in the same segment."""
    if "negator" not in message.marks:
        return False
    found = message.list_in("negator", max(message.segment(start)[0], start - reach - LONG_NOT), start)
    negators = [m for m in found if m.end > start - reach and not _means_to(message, m)]
    negators = [m for m in negators if not message.is_covered(m, _NOT_DENYING)]
    if message.tokens[start].text in message.grammar.not_word:
        negators = [
            m for m in negators if message.tokens[m.start].text not in message.grammar.nor_word
        ]  # "ни шерсть, ни мохер не могу"
    return any(not message.ends_with(negator.end, "whenever") for negator in negators)


def _means_to(message: Message, negator: LexiconMatch) -> bool:
    """Arabizi "la" right before a number or a size is "to": ghayri mizaniyti la 900."""
    can_mean = message.tokens[negator.start].text in message.grammar.no_or_to
    if not can_mean or negator.end >= len(message.tokens):
        return False
    is_number = message.tokens[negator.end].kind == "number"
    return is_number or message.at(negator.end, "size_letter") is not None
