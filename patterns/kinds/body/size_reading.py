"""Clothing sizes: real sizes, and the anchor that reaches them."""

from __future__ import annotations

from patterns.kinds.body.size_halves import name_key, names_lead
from patterns.kinds.body.size_values import Size, find_size, with_system
from patterns.kinds.body.size_vetoes import find_size_veto
from patterns.statements.mended import find_mended
from patterns.statements.vetoes import is_negated
from patterns.steps.draft import Draft, Findings, Fired
from patterns.steps.message import Message

KINDS = (
    "own",
    "wear",
    "be",
    "compared",
    "between",
    "fits",
    "bare",
    "half",
    "garment",
    "usual",
    "beside",
    "system",
)  # the surer before the weaker
MAX_APART = 12
_APART_STOPS = ("relation", "other", "shoe", "brand", "garment_word", "half", "measure_word", "budget_word", "currency")
REACH = 6  # tokens between an anchor and its size


def read_sizes(message: Message, fired: list[Fired], findings: Findings) -> None:
    """Every clothing size that an anchor reaches; refusals say which guard stood in the way."""
    if not message.has_size:
        return
    anchors = sorted(
        (f for f in fired if f.rule.kind in KINDS),
        key=lambda f: f.start,
    )
    settled: set[int] = set()
    for anchor in sorted(anchors, key=lambda f: KINDS.index(f.rule.kind)):
        size = _reach(message, anchor)
        if size is None or (anchor.rule.kind == "system" and size.form != "system" and size.end - size.start < 2):
            continue
        if anchor.rule.kind == "system" and _is_converted(message, findings, size):
            continue
        if (
            anchor.rule.kind == "beside"
            and anchor.rule.language == "mixed"
            and not _is_measured(message, findings, size)
        ):
            continue
        if size.start in settled or not findings.taken.isdisjoint(range(size.start, size.end)):
            continue
        former = _drop_former(message, anchor, size)
        if former is None:
            continue
        size = _mend(message, former)
        reason = find_size_veto(message, anchor, size)
        if reason is None:
            settled.update(range(size.start, size.end))
            key = name_key(message, anchor, size)
            start, end = min(anchor.start, size.start), max(anchor.end, size.end)
            findings.drafts.append(Draft("body_params", key, size.value, start, end, anchor.rule))
        elif reason != "not_a_size":
            if reason in ("shoe", "anti_anchor", "other_subject", "product", "request", "thing", "brand_scoped"):
                settled.update(range(size.start, size.end))
            findings.refuse(anchor, reason)


def _mend(message: Message, size: Size) -> Size:
    """Size M, sorry, I meant L."""
    place = find_mended(message, size.end)
    right = find_size(message, place, message.clause(place)[1]) if place is not None else None
    return right if right is not None else size


def _drop_former(message: Message, anchor: Fired, size: Size) -> Size | None:
    """Moved from size M to L: behind "moved from" stand the old size and the new; None where no new one follows."""
    is_change = message.ends_with(anchor.start, "change_from")
    words = message.tokens[anchor.start : anchor.end]
    is_change = is_change or any(token.text in message.grammar.moved_from for token in words)
    changes = message.list_in("change_from", message.clause(anchor.start)[0], anchor.start + 1)
    is_change = is_change or any(change.end > anchor.end for change in changes)  # "change my size from M to L"
    if not is_change:
        return size
    if "-" not in size.value:
        word = message.at(size.end, "range_word") or message.at(size.end, "change_to")
        return find_size(message, word.end, message.clause(size.start)[1]) if word is not None else None
    new = find_size(message, size.end - 1, size.end)
    return new if new is not None else size


def _is_converted(message: Message, findings: Findings, size: Size) -> bool:
    """ "I wear EU 38, that's UK 10" names one size twice: the stated one stays."""
    clause = message.clause_of[size.start]
    return any(d.key == "size" and message.clause_of[d.start] == clause for d in findings.drafts)


def _is_measured(message: Message, findings: Findings, size: Size) -> bool:
    """183 cm, 82 kg, XL: a measure of the writer's own body was read in the clause."""
    clause = message.clause_of[size.start]
    return any(d.key in ("height", "weight") and message.clause_of[d.start] == clause for d in findings.drafts)


def _reach(message: Message, anchor: Fired) -> Size | None:
    """The size that the anchor's free path leads to: after it, or before it where the rule allows."""
    if anchor.rule.kind == "system":
        if message.tokens[anchor.start].text in message.grammar.words_too:
            return None
        first, last = message.clause(anchor.start)
        size = find_size(message, anchor.start, last)
        if size is None and anchor.start > first:
            size = find_size(message, anchor.start - 1, last)  # 16 UK
            is_closed = size is not None and (size.end == last or message.tokens[size.end].kind == "mark")
            return size if is_closed else None
        return size
    if anchor.rule.kind == "beside":
        return _read_beside(message, anchor)
    sides = {"after": ("after",), "before": ("before",), "both": ("after", "before")}.get(anchor.rule.object_side, ())
    if anchor.rule.kind == "own" and _opens_anew(message, anchor):
        sides = ("after",)
    if anchor.rule.kind in ("half", "garment"):
        sides = ("after",) if names_lead(message, message.segment(anchor.start)) else ("before",)
    for side in sides:
        size = _reach_after(message, anchor) if side == "after" else _reach_before(message, anchor)
        if size is not None:
            return _with_system_before(message, anchor, size)
    if anchor.rule.kind in ("own", "bare"):
        apart = _read_apart(message, anchor)
        if apart is not None:
            return apart
    if anchor.rule.kind != "own":
        return None
    return (_read_alone_before(message, anchor) if "before" in sides else None) or _read_alone_after(message, anchor)


def _opens_anew(message: Message, anchor: Fired) -> bool:
    """مقاس أمي لارج ومقاسي ما أعرفه: what stands before an "and my size" is another's."""
    token = message.tokens[anchor.start]
    if token.script == "arabic" and token.text.startswith(message.grammar.and_letters):
        return True
    return anchor.rule.language in ("ar", "arabizi") and message.ends_with(anchor.start, "conj")


def _read_beside(message: Message, anchor: Fired) -> Size | None:
    """L, рост 170: a size in letters that has a segment of the clause to itself, beside a measure of the body."""
    first, last = message.clause(anchor.start)
    for start, stop in message.segments[message.segment_of[first] : message.segment_of[last - 1] + 1]:
        size = find_size(message, start, stop)
        if size is not None and size.form in ("letter", "word") and message.has_only((), size.end, stop):
            return size
    return None


def _read_apart(message: Message, anchor: Fired) -> Size | None:
    """My size, if you must know, is L / размер не S, как раньше, а M: alone in a later segment of the clause."""
    number = message.segment_of[anchor.end - 1] + 1
    last = message.clause(anchor.start)[1]
    while number < len(message.segments) and message.segments[number][0] < last:
        first, stop = message.segments[number]
        if stop - anchor.end > MAX_APART or any(message.has_in(name, first, stop) for name in _APART_STOPS):
            return None
        for place in range(first, stop):
            size = find_size(message, place, stop)
            if size is None or is_negated(message, place, reach=2):
                continue
            small = ("contrast", "size_filler", "naming", "now", "article", "oath")
            is_alone = message.has_only(small, first, place) and message.has_only((*small, "size_word"), size.end, stop)
            return size if is_alone else None
        number += 1
    return None


def _read_alone_after(message: Message, anchor: Fired) -> Size | None:
    """You asked about my size. It's a large: the next clause says nothing but the size."""
    start = message.clause(anchor.start)[1]
    if anchor.end < start - 1 or start >= len(message.tokens) or message.tokens[start - 1].text != ".":
        return None
    last = message.clause(start)[1]
    for place in range(start, min(start + 4, last)):
        size = find_size(message, place, last)
        if size is not None:
            is_closed = size.end == last or message.tokens[size.end].text in ".!\n"
            return size if is_closed and message.has_only(("naming", "size_filler", "oath"), start, place) else None
    return None


def _read_alone_before(message: Message, anchor: Fired) -> Size | None:
    """L. That's my size: the clause before says nothing but the size."""
    number, first = message.clause_of[anchor.start], message.clause(anchor.start)[0]
    if not number or not message.has_only(("naming", "self", "size_filler", "oath", "conj"), first, anchor.start):
        return None
    start, end = message.normal.clauses[number - 1]
    start += message.at(start, "article") is not None
    size = find_size(message, start, end)
    return size if size is not None and size.end == end - 1 and message.tokens[end - 1].text in ".!\n" else None


def _with_system_before(message: Message, anchor: Fired, size: Size) -> Size:
    """Italian size 42: the system stands before the anchor."""
    systems = [m for m in message.ends[anchor.start] if m.category == "size_system"]
    systems += message.list_in("size_system", anchor.start, anchor.end)
    if not systems:  # "by Italian sizing I'm a 42"
        first = message.segment(anchor.start)[0]
        systems = [m for m in message.list_in("size_system", first, anchor.start) if message.at(m.end, "sizing")]
    if size.form != "number" or not systems or size.start < anchor.start:
        return size
    return Size(with_system(systems[0].canonical, size.value), size.start, size.end, "system")


def _reach_after(message: Message, anchor: Fired) -> Size | None:
    _, last = message.clause(anchor.start)
    index = anchor.end
    for _ in range(REACH):
        if index >= last:
            return None
        if anchor.rule.kind in ("own", "bare"):
            index = _skip_former(message, index, last)
        if index >= len(message.tokens):
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


def _skip_former(message: Message, index: int, last: int) -> int:
    """Where the new size stands in "went from 46 to 44"; the index itself where nothing changed."""
    change = message.at(index, "change_from")
    former = find_size(message, change.end, last) if change is not None else None
    if former is None:
        return index
    place = former.end
    if former.value.count("-"):  # 46 to 44 reads as a range of neighbours
        return former.end - 1
    word = (message.at(place, "range_word") or message.at(place, "change_to")) if place < last else None
    return word.end if word is not None else index


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
        "decoy",
    ):
        match = message.at(index, category)
        if match is not None:
            return match.end
    if message.tokens[index].kind == "number" and message.at(index + 1, "unit_weight"):
        return index + 2  # "I'm 92 kilos and a 2XL"
    return index + 1 if message.tokens[index].text in ":-=,()" else None


def _reach_before(message: Message, anchor: Fired) -> Size | None:
    """M is my size, 44 размер ношу, 2XL я."""
    first, last = message.clause(anchor.start)
    index = anchor.start
    for _ in range(4):
        for start in range(max(first, index - 3), index):
            size = find_size(message, start, last)
            if size is None or size.end != index:
                continue
            if anchor.rule.kind == "be" and message.tokens[size.end].text in message.grammar.and_words:
                return None  # "сестра носит М и я ей завидую"
            if not is_negated(message, size.start, reach=1):
                return size
            denied = message.find_last_in("negator", max(first, size.start - 1), size.start)
            index = denied.start if denied is not None else index
            break
        if index <= first:
            return None
        skip = [
            m
            for m in message.ends[index]
            if m.category in ("size_filler", "now", "size_word", "garment_word", "half", "decoy")
        ]
        if skip:
            index = min(skip, key=lambda m: m.start).start
        elif (
            message.tokens[index - 1].text in message.grammar.size_for
            or message.tokens[index - 1].text in "-:"
            or (message.tokens[index - 1].text == "," and anchor.rule.kind in ("own", "usual"))
        ):
            index -= 1
        else:
            return None
    return None
