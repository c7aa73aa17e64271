"""Recognises numbers and letters that are not sizes: shoes, lengths, amounts, descriptions."""

from __future__ import annotations

from patterns.kinds.body.size_halves import name_key
from patterns.kinds.body.size_things import is_length, is_measured, is_shod
from patterns.kinds.body.size_values import Size, in_range
from patterns.steps.draft import Fired
from patterns.steps.message import Message

ANTI_REACH = 3
MIN_PAIR = 40
MAX_SHOE = 45
FAR = 99  # no such word in the segment
_NAMED_WHOLE = ("cut", "garment", "pattern")


def find_number_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    """Why what an anchor reaches is no clothing size at all; None when it can be one."""
    segment = message.segment(size.start)
    cloth = min(_distance(message, "garment_word", size, segment), _distance(message, "half", size, segment))
    reason = _find_form_veto(message, anchor, size) or _find_neighbour_veto(message, size, segment, cloth)
    if reason is not None or size.form != "number":
        return reason
    return _find_figure_veto(message, anchor, size) or _find_anchor_veto(message, anchor, size, cloth)


def _find_form_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    """The form of the value: what this kind of statement cannot be said with, or what describes."""
    kind = anchor.rule.kind
    is_named = message.has_in("size_word", *message.segment(size.start))
    if kind == "between" and ("-" not in size.value or (size.form == "number" and not is_named)):
        return "not_a_size"
    if kind == "fits" and size.form not in ("letter", "word", "system"):
        return "not_a_size"
    is_english = anchor.rule.language == "en" and message.tokens[size.start].text.isascii()
    if size.form != "word" or not is_english:
        return None
    if kind in ("be", "wear") and size.start >= anchor.end and not ends_description(message, size.end):
        return "description"
    return "description" if kind == "be" and _is_build(message, size) else None


def _find_neighbour_veto(message: Message, size: Size, segment: tuple[int, int], cloth: int) -> str | None:
    """The words near the value: shoes, or what says that the number is something else."""
    near = (max(segment[0], size.start - ANTI_REACH), min(segment[1], size.end + ANTI_REACH))
    shoe = _shoe_distance(message, size, segment)
    if shoe < FAR and shoe <= cloth and (size.form != "letter" or shoe <= 2):
        return "shoe"
    if size.form in ("number", "system") and message.has_uncovered_in("anti_anchor", ("now",), *near):
        return "anti_anchor"
    if size.form == "letter" and message.has_in("anti_anchor", max(segment[0], size.start - 2), size.start):
        return "anti_anchor"
    return None


def _find_figure_veto(message: Message, anchor: Fired, size: Size) -> str | None:
    """The figure itself and what stands right behind it."""
    kind = anchor.rule.kind
    number = int(size.value.split("-")[0])
    if kind == "bare" and number <= MAX_SHOE and is_shod(message, size):
        return "shoe"
    if is_length(message, size) or (kind in ("half", "garment") and _names_cut(message, anchor)):
        return "not_a_size"
    if not in_range(number, name_key(message, anchor, size) == "size_bottom"):
        return "not_a_size"
    if size.end < len(message.tokens) and message.tokens[size.end].text in ("%", "$", "€", "£"):
        return "anti_anchor"
    units = ("currency", "unit_length", "unit_weight")
    if is_measured(message, size.end) or any(message.at(size.end, name) for name in units):
        return "anti_anchor"
    return None


def _find_anchor_veto(message: Message, anchor: Fired, size: Size, cloth: int) -> str | None:
    """A number with no word of clothes or size in its clause, where the anchor says neither."""
    kind = anchor.rule.kind
    if kind in ("own", "bare", "half", "garment") or size.is_ordinal:
        return None
    is_anchored = message.has_in("size_word", *message.clause(size.start)) or cloth < FAR
    number = int(size.value.split("-")[0])
    if kind in ("wear", "be") and "-" in size.value and number >= MIN_PAIR and not number % 2:
        return None  # "I wear 44-46": shoes are not sold in such pairs
    return None if is_anchored else "no_anchor"


def _names_cut(message: Message, anchor: Fired) -> bool:
    """Stop suggesting crop tops, I'm 47: the tops belong to what is refused."""
    named = message.at(anchor.start, "half") or message.at(anchor.start, "garment_word")
    return named is not None and message.is_covered(named, _NAMED_WHOLE)


def _shoe_distance(message: Message, size: Size, segment: tuple[int, int]) -> int:
    """How far the nearest shoe word is that has no number of its own nearer ("size 46, shoes 39")."""
    distances = []
    before = message.segment_of[segment[0]] - 1
    if before >= 0 and message.tokens[message.segments[before][1] - 1].text == ":":
        segment = (message.segments[before][0], segment[1])  # "Trainers? Size 40."
    for shoe in message.list_in("shoe", *segment):
        is_measure = message.tokens[shoe.start].text in message.grammar.feet_of_height
        if is_measure and message.ends_with(shoe.start, "number"):
            continue  # "five foot six"
        if shoe.start >= size.end and message.has_in("self", size.end, shoe.start):
            continue  # "I'm a 14 UK and I hate heels"
        mine = size.start - shoe.end if shoe.end <= size.start else shoe.start - size.end + 1
        numbers = [
            i for i in range(max(segment[0], shoe.start - 4), min(segment[1], shoe.end + 4))
            if (message.tokens[i].kind == "number" or message.at(i, "number")) and not size.start <= i < size.end
        ]  # fmt: skip
        nearer = any((shoe.start - i if i < shoe.start else i - shoe.end) < mine for i in numbers)
        if not nearer:
            distances.append(mine)
    return min(distances, default=99)


def _distance(message: Message, category: str, size: Size, segment: tuple[int, int]) -> int:
    distances = [
        size.start - m.end if m.end <= size.start else m.start - size.end + 1
        for m in message.list_in(category, *segment)
        if not message.is_covered(m, _NAMED_WHOLE)  # the "tops" of "crop tops"
    ]
    return min(distances, default=99)


def _is_build(message: Message, size: Size) -> bool:
    """ "I'm small" speaks of the body, "I'm a small" of the size."""
    if size.value not in ("S", "L") or size.end - size.start > 1:
        return False
    before = size.start - 1
    return message.at(before, "article") is None and message.at(before, "size_word") is None


def ends_description(message: Message, index: int) -> bool:
    """ "I'm a medium" is a size, "I'm a medium height woman" is not."""
    if index >= len(message.tokens) or message.tokens[index].kind == "mark":
        return True
    conj = message.at(index, "conj")
    if conj is not None and conj.end < len(message.tokens):
        following = message.tokens[conj.end]
        return following.kind == "number" or message.at(conj.end, "self") is not None
    ends = (
        "please",
        "decoy",
        "order_tag",
        "lasting",
        "size_word",
        "now",
        "half",
        "garment_word",
        "size_tail",
        "contrast",
        "laugh",
        "oath",
        "self",
        "announcement",
    )
    return any(message.at(index, category) for category in ends)
