"""Clothing sizes (ENGINE step 10): real sizes, an anchor that reaches them, and the words that forbid them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from patterns.lexicon import LexiconMatch
from patterns.steps.draft import Draft, Findings, Fired
from patterns.steps.message import Message
from patterns.steps.numbers import find_number
from patterns.steps.vetoes import find_statement_veto, find_subject, is_negated

LADDER = ("XXS", "XS", "S", "M", "L", "XL", "XXL", "XXXL", "4XL", "5XL")
MIN_NUMBER, MAX_NUMBER = 32, 60
MIN_BOTTOM = 22  # jeans are measured in inches of waist
MAX_SYSTEM = 60
KINDS = ("own", "wear", "be", "between", "fits", "bare", "half", "garment", "system")  # the surer before the weaker
REACH = 6  # tokens between an anchor and its size
ANTI_REACH = 3
_WORDS_TOO = frozenset(("it", "fr", "de", "au", "ru"))  # size systems only beside a size word
_NO_PREFIX = ("EU", "RU")
_RANGE_MARKS = frozenset("/-")
_GLUED_SYSTEM = re.compile(r"([a-z]{2})(\d)")


@dataclass(frozen=True, slots=True)
class Size:
    """A size expression on tokens [start, end). `form`: letter | word | number | system."""

    value: str
    start: int
    end: int
    form: str


def find_size(message: Message, index: int, end: int) -> Size | None:
    """The size expression that begins at a token, ranges of two neighbours included; None when there is none."""
    system = _read_system(message, index, end)
    if system is not None:
        return system
    letter = _read_letter(message, index, end)
    if letter is not None:
        return _join_range(message, letter, end)
    return _read_number(message, index, end)


def _read_system(message: Message, index: int, end: int) -> Size | None:
    """UK 10, US size 6, us6, Italian size 42."""
    glued = _GLUED_SYSTEM.fullmatch(message.tokens[index].text)
    if glued and glued[1].upper() in ("UK", "US", "IT", "FR", "EU"):
        return Size(_with_system(glued[1].upper(), glued[2]), index, index + 1, "system")
    match = message.at(index, "size_system")
    if match is None:
        return None
    place = match.end
    while place < end and (message.at(place, "size_word") or message.tokens[place].text in ("(", "-", ":", ".")):
        word = message.at(place, "size_word")
        place = word.end if word is not None else place + 1
    number = _plain_number(message, place, end)
    if number is None or number > MAX_SYSTEM:
        return None
    if match.canonical in _NO_PREFIX and not MIN_NUMBER <= number <= MAX_NUMBER:
        return None
    return Size(_with_system(match.canonical, str(number)), index, place + 1, "system")


def _with_system(system: str, number: str) -> str:
    return number if system in _NO_PREFIX else system + number


def _plain_number(message: Message, index: int, end: int) -> int | None:
    if index >= end:
        return None
    token = message.tokens[index]
    return int(token.text) if token.kind == "number" and token.text.isdigit() and len(token.text) <= 2 else None


def _read_letter(message: Message, index: int, end: int) -> Size | None:
    match = message.at(index, "size_letter")
    if match is None or match.end > end:
        return None
    text = message.tokens[index].text
    if text == "с" and match.end == index + 1 and not _stands_alone(message, match.end, end):
        return None
    is_word = match.end - index > 1 or (len(text) > 2 and not set(text) <= set("xslmхл0123456789"))
    return Size(match.canonical, index, match.end, "word" if is_word else "letter")


def _stands_alone(message: Message, index: int, end: int) -> bool:
    return index >= end or message.tokens[index].kind == "mark" or message.at(index, "conj") is not None


def _join_range(message: Message, first: Size, end: int) -> Size:
    """S/M, S-M, between S and M, M or L: two neighbours become one value, smaller first."""
    place = first.end
    if place >= end:
        return first
    if message.tokens[place].text in _RANGE_MARKS:
        place += 1
    else:
        conj = message.at(place, "conj") or message.at(place, "range_word")
        if conj is None:
            return first
        place = conj.end + (message.at(conj.end, "article") is not None)
    second = _read_letter(message, place, end) if place < end else None
    if second is None or abs(LADDER.index(first.value) - LADDER.index(second.value)) != 1:
        return first
    low, high = sorted((first.value, second.value), key=LADDER.index)
    return Size(f"{low}-{high}", first.start, second.end, first.form)


def _read_number(message: Message, index: int, end: int) -> Size | None:
    number = _plain_number(message, index, end)
    if number is None:
        return _read_spoken(message, index, end)
    place = index + 1
    if (
        place < end
        and message.tokens[place].text == "-"
        and place + 1 < end
        and message.at(place + 1, "ordinal_suffix") is not None
    ):
        place += 1
    if place < end and message.at(place, "ordinal_suffix") is not None:
        place += 1
    system = message.at(place, "size_system") if place < end else None
    if system is None and place + 1 < end and message.tokens[place].text == "(":
        system = message.at(place + 1, "size_system")
    if system is not None and number <= MAX_SYSTEM:
        return Size(_with_system(system.canonical, str(number)), index, system.end, "system")
    tie = _range_end(message, place, end)
    if tie is not None:
        other = _plain_number(message, tie, end)
        if other is not None and 0 < abs(other - number) <= 2 and _in_range(number, False) and _in_range(other, False):
            return Size(f"{min(number, other)}-{max(number, other)}", index, tie + 1, "number")
    return Size(str(number), index, place, "number")


def _range_end(message: Message, index: int, end: int) -> int | None:
    """Where the second half of a range begins: 40-42, 40 to 42."""
    if index + 1 >= end:
        return None
    if message.tokens[index].text in _RANGE_MARKS:
        return index + 1
    word = message.at(index, "range_word")
    return word.end if word is not None else None


def _read_spoken(message: Message, index: int, end: int) -> Size | None:
    """Forty-six, сорок шесть."""
    if message.at(index, "number") is None:
        return None
    number = find_number(message, index, end=end, can_group=False)
    if number is None or not number.is_word or not MIN_NUMBER <= number.value <= MAX_NUMBER:
        return None
    return Size(str(int(number.value)), index, number.end, "number")


def _in_range(number: int, is_bottom: bool) -> bool:
    return (MIN_BOTTOM if is_bottom else MIN_NUMBER) <= number <= MAX_NUMBER


def read_sizes(message: Message, fired: list[Fired], findings: Findings) -> None:
    """Every clothing size that an anchor reaches; refusals say which guard stood in the way."""
    anchors = sorted(
        (f for f in fired if f.rule.kind in KINDS),
        key=lambda f: f.start,
    )
    settled: set[int] = set()
    for anchor in sorted(anchors, key=lambda f: KINDS.index(f.rule.kind)):
        size = _reach(message, anchor)
        if size is None or (anchor.rule.kind == "system" and size.form != "system" and size.end - size.start < 2):
            continue
        if size.start in settled or not findings.taken.isdisjoint(range(size.start, size.end)):
            continue
        reason = _find_size_veto(message, anchor, size)
        if reason is None:
            settled.update(range(size.start, size.end))
            key = _name_key(message, anchor, size)
            start, end = min(anchor.start, size.start), max(anchor.end, size.end)
            findings.drafts.append(Draft("body_params", key, size.value, start, end, anchor.rule))
        elif reason != "not_a_size":
            if reason in ("shoe", "anti_anchor", "other_subject", "product", "request", "thing", "brand_scoped"):
                settled.update(range(size.start, size.end))
            findings.refuse(anchor, reason)


def _reach(message: Message, anchor: Fired) -> Size | None:
    """The size that the anchor's free path leads to: after it, or before it where the rule allows."""
    if anchor.rule.kind == "system":
        if message.tokens[anchor.start].text in _WORDS_TOO:
            return None
        return find_size(message, anchor.start, message.clause(anchor.start)[1])
    sides = {"after": ("after",), "before": ("before",), "both": ("after", "before")}.get(anchor.rule.object_side, ())
    if anchor.rule.kind in ("half", "garment"):
        sides = ("after",) if _names_lead(message, message.segment(anchor.start)) else ("before",)
    for side in sides:
        size = _reach_after(message, anchor) if side == "after" else _reach_before(message, anchor)
        if size is not None:
            return _with_system_before(message, anchor, size)
    return None


def _with_system_before(message: Message, anchor: Fired, size: Size) -> Size:
    """Italian size 42: the system stands before the anchor."""
    systems = [m for m in message.ends[anchor.start] if m.category == "size_system"]
    if size.form != "number" or not systems or size.start < anchor.start:
        return size
    return Size(_with_system(systems[0].canonical, size.value), size.start, size.end, "system")


def _reach_after(message: Message, anchor: Fired) -> Size | None:
    _, last = message.clause(anchor.start)
    index = anchor.end
    for _ in range(REACH):
        if index >= last:
            return None
        size = find_size(message, index, last)
        if size is not None:
            if is_negated(message, size.start, reach=2) and not is_negated(message, anchor.start, reach=2):
                index = size.end
                continue
            return size
        step = _step_over(message, index)
        if step is None or (message.tokens[index].text == "," and anchor.rule.kind in ("half", "garment")):
            return None
        index = step
    return None


def _step_over(message: Message, index: int) -> int | None:
    """The token after one that may stand between an anchor and its size."""
    for category in (
        "size_filler",
        "garment_word",
        "half",
        "now",
        "size_word",
        "negator",
        "approximately",
        "oath",
        "number",
        "conj",
        "size_system",
    ):
        match = message.at(index, category)
        if match is not None:
            return match.end
    return index + 1 if message.tokens[index].text in ":-=,(" else None


def _reach_before(message: Message, anchor: Fired) -> Size | None:
    """M is my size, 44 размер ношу, 2XL я."""
    first, last = message.clause(anchor.start)
    index = anchor.start
    for _ in range(4):
        for start in range(max(first, index - 3), index):
            size = find_size(message, start, last)
            if size is not None and size.end == index:
                return size
        if index <= first:
            return None
        skip = [
            m for m in message.ends[index] if m.category in ("size_filler", "now", "size_word", "garment_word", "half")
        ]
        if skip:
            index = min(skip, key=lambda m: m.start).start
        elif message.tokens[index - 1].text in "-:" or (
            message.tokens[index - 1].text == "," and anchor.rule.kind == "own"
        ):
            index -= 1
        else:
            return None
    return None


def _name_key(message: Message, anchor: Fired, size: Size) -> str:
    """size_top or size_bottom where the half is named beside the size, else size."""
    if anchor.rule.kind == "half" and anchor.start < size.start:
        match = message.at(anchor.start, "half")
        return match.canonical if match else "size"
    start, end = message.segment(size.start)
    before = message.find_last_in("half", max(start, size.start - 4), size.start)
    after = message.find_in("half", size.end, min(end, size.end + 4))
    chosen = before if _names_lead(message, (start, end)) else after
    return chosen.canonical if chosen is not None else "size"


def _names_lead(message: Message, segment: tuple[int, int]) -> bool:
    """Whether the segment says "top M" rather than "M on top": what is measured stands before the first size."""
    names = [m for c in ("half", "garment_word") if (m := message.find_in(c, *segment)) is not None]
    first = min((m.start for m in names), default=segment[1])
    return first < segment[1] and not _has_size(message, segment[0], first)


def _has_size(message: Message, start: int, end: int) -> bool:
    """Whether a size stands in [start, end)."""
    return any(find_size(message, index, end) is not None for index in range(start, end))


def _find_size_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    start, end = min(anchor.start, size.start), max(anchor.end, size.end)
    kind = anchor.rule.kind
    reason = _find_number_veto(message, anchor, size)
    if reason is not None:
        return reason
    veto = find_statement_veto(message, size.start, end) or find_statement_veto(message, anchor.start, end)
    if veto is not None:
        return veto
    if is_negated(message, anchor.start, reach=1 if kind == "own" else 3) or (
        is_negated(message, size.start, reach=2) and kind != "garment"
    ):
        return "negated"
    if kind not in ("own", "wear") and find_subject(message, start, end) == "other":
        return "other_subject"
    if kind in ("own", "wear") and _names_other(message, start, end):
        return "other_subject"
    segment = message.segment(size.start)
    if message.has_in("brand", *segment) or message.has_in("brand", *message.segment(anchor.start)):
        return "brand_scoped"
    if kind != "own" and _is_request(message, start, end):
        return "request"
    if kind != "own" and message.has_in("thing", message.segment(start)[0], start + (kind != "system")):
        return "thing"
    if kind in ("bare", "fits", "garment", "system") and _is_offer(message, segment):
        return "request"
    if kind == "bare" and (message.marks.get("card") or _labels_item(message, anchor)):
        return "product"
    if message.has_in("scope_size", *segment):
        return "scope"
    return None


def _names_other(message: Message, start: int, end: int) -> bool:
    """A person between the trigger and the size, or right after it (my size is my sister's M)."""
    people = [m for c in ("relation", "other") for m in message.list_in(c, start + 1, end + 2)]
    return any(m.start not in message.consumed for m in people)


def _labels_item(message: Message, anchor: Fired) -> bool:
    """The dress, size M: one garment named right before the size word, with no "I" about."""
    before = [m for m in message.ends[anchor.start] if m.category in ("half", "garment_word", "all_clothes")]
    if not before or any(m.category == "all_clothes" or _is_mine(message, m) for m in before):
        return False
    return not message.has_in("self", *message.segment(anchor.start))


def _is_mine(message: Message, match: LexiconMatch) -> bool:
    """بنطلوني: "my" is attached."""
    token = message.tokens[match.end - 1]
    return len(token.text) > 3 and token.script == "arabic" and token.text.endswith("ي")


def _is_offer(message: Message, segment: tuple[int, int]) -> bool:
    """ "Size M please" asks for one; a size beside a price is on a label."""
    return any(message.has_in(category, *segment) for category in ("please", "currency", "price", "at_price"))


def _is_request(message: Message, start: int, end: int) -> bool:
    first = message.segment(start)[0]
    return message.has_in("request", first, start + 1) or message.has_in("request", end, message.segment(end - 1)[1])


def _find_number_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    kind = anchor.rule.kind
    if kind == "between" and ("-" not in size.value or size.form == "number"):
        return "not_a_size"
    if kind == "fits" and size.form not in ("letter", "word"):
        return "not_a_size"
    follows = size.start >= anchor.end and anchor.rule.language == "en"
    if size.form == "word" and kind in ("be", "wear") and follows and not _ends_description(message, size.end):
        return "description"
    if size.form == "word" and kind == "be" and anchor.rule.language == "en" and _is_build(message, anchor, size):
        return "description"
    segment = message.segment(size.start)
    near = (max(segment[0], size.start - ANTI_REACH), min(segment[1], size.end + ANTI_REACH))
    shoe = _shoe_distance(message, size, segment)
    cloth = min(_distance(message, "garment_word", size, segment), _distance(message, "half", size, segment))
    if shoe < 99 and shoe <= cloth and (size.form != "letter" or shoe <= 2):
        return "shoe"
    if size.form in ("number", "system") and message.has_in("anti_anchor", *near):
        return "anti_anchor"
    if size.form == "letter" and message.has_in("anti_anchor", max(segment[0], size.start - 2), size.start):
        return "anti_anchor"
    if size.form != "number":
        return None
    number = int(size.value.split("-")[0])
    is_bottom = _name_key(message, anchor, size) == "size_bottom"
    if not _in_range(number, is_bottom):
        return "not_a_size"
    if size.end < len(message.tokens) and message.tokens[size.end].text in ("%", "$", "€", "£"):
        return "anti_anchor"
    if _is_measured(message, size.end):
        return "anti_anchor"
    if message.at(size.end, "currency") or message.at(size.end, "unit_length") or message.at(size.end, "unit_weight"):
        return "anti_anchor"
    if kind in ("own", "bare", "half", "garment"):
        return None
    is_anchored = message.has_in("size_word", *message.clause(size.start)) or cloth < 99
    return None if is_anchored else "no_anchor"


def _is_measured(message: Message, index: int) -> bool:
    """40 by 60, 40x60: a thing with two sides."""
    if index + 1 >= len(message.tokens) or message.tokens[index + 1].kind != "number":
        return False
    return message.tokens[index].text in "x×х*" or message.at(index, "side_by_side") is not None


def _shoe_distance(message: Message, size: Size, segment: tuple[int, int]) -> int:
    """How far the nearest shoe word is that has no number of its own nearer ("size 46, shoes 39")."""
    distances = []
    for shoe in message.list_in("shoe", *segment):
        mine = size.start - shoe.end if shoe.end <= size.start else shoe.start - size.end + 1
        numbers = [
            i for i in range(max(segment[0], shoe.start - 4), min(segment[1], shoe.end + 4))
            if message.tokens[i].kind == "number" and not size.start <= i < size.end
        ]  # fmt: skip
        nearer = any((shoe.start - i if i < shoe.start else i - shoe.end) < mine for i in numbers)
        if not nearer:
            distances.append(mine)
    return min(distances, default=99)


def _distance(message: Message, category: str, size: Size, segment: tuple[int, int]) -> int:
    distances = [
        size.start - m.end if m.end <= size.start else m.start - size.end + 1
        for m in message.list_in(category, *segment)
    ]
    return min(distances, default=99)


def _is_build(message: Message, anchor: Fired, size: Size) -> bool:
    """ "I'm small" speaks of the body, "I'm a small" of the size."""
    if size.value not in ("S", "L") or size.end - size.start > 1:
        return False
    before = size.start - 1
    return message.at(before, "article") is None and message.at(before, "size_word") is None


def _ends_description(message: Message, index: int) -> bool:
    """ "I'm a medium" is a size, "I'm a medium height woman" is not."""
    if index >= len(message.tokens) or message.tokens[index].kind == "mark":
        return True
    conj = message.at(index, "conj")
    if conj is not None and conj.end < len(message.tokens):
        following = message.tokens[conj.end]
        return following.kind == "number" or message.at(conj.end, "self") is not None
    ends = ("size_word", "now", "half", "garment_word", "size_tail", "contrast", "laugh", "oath", "self")
    return any(message.at(index, category) for category in ends)
