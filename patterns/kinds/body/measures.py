"""Height and weight: numbers with units that the patterns capture."""

from __future__ import annotations

from patterns.statements.mended import find_mended
from patterns.statements.persons import continues_about_other, find_subject
from patterns.statements.strangers import labels_measure, names_thing_before
from patterns.statements.unknown import has_vocabulary, is_measured_first, is_nobodys, is_strange
from patterns.statements.vetoes import find_statement_veto, is_negated
from patterns.steps.draft import Draft, Findings, Fired
from patterns.steps.message import Message
from patterns.steps.numbers import Number, find_number, parse_digits

CM_PER_INCH = 2.54
BODY_REACH, BODY_REACH_AFTER = 5, 3  # words around a measure that may say what else is measured
KG_PER_POUND = 0.45359237
APART = 10
_OTHERS = ("relation", "other", "size_word", "measure_word", "budget_word", "shoe", "thing", "negator")
HEIGHTS = range(120, 221)
WEIGHTS = range(30, 251)


def read_measures(message: Message, fired: list[Fired], findings: Findings) -> None:
    """Heights in centimetres and weights in kilograms that the user states about themselves."""
    spent = frozenset(findings.taken)
    for trigger in fired:
        if trigger.rule.kind not in ("height", "weight"):
            continue
        if not spent.isdisjoint(range(trigger.start, trigger.end)):
            continue  # "budget: 200 pounds"
        value = _measure(message, trigger)
        if value is None:
            continue
        value = _mend(message, trigger, value)
        reason = _find_measure_veto(message, trigger)
        present = _read_present(message, trigger) if reason == "past" else None
        if present is not None:
            value, reason = present, _find_measure_veto(message, trigger, is_over=True)
        if reason is not None:
            findings.refuse(trigger, reason)
            continue
        findings.drafts.append(Draft("body_params", trigger.rule.kind, value, trigger.start, trigger.end, trigger.rule))
        findings.taken.update(range(trigger.start, trigger.end))


def _mend(message: Message, fired: Fired, value: int) -> int:
    """Рост 164, ой, 165: what is said in its place, where a body can have it."""
    number = find_number(message, fired.end, end=message.clause(fired.start)[1], can_group=False)
    place = find_mended(message, number.end if number is not None else fired.end, can_bare_no=True)
    right = find_number(message, place, end=message.clause(place)[1], can_group=False) if place is not None else None
    known = HEIGHTS if fired.rule.kind == "height" else WEIGHTS
    return int(right.value) if right is not None and int(right.value) in known else value


def _read_present(message: Message, fired: Fired) -> int | None:
    """I was 80 kilos last year, now 65: behind the comma stands a figure of today, and nothing else."""
    last, number = message.clause(fired.start)[1], message.segment_of[fired.end - 1] + 1
    if number >= len(message.segments) or message.segments[number][0] >= last:
        return None
    first, stop = message.segments[number]
    small = ("contrast", "conj", "now", "naming", "size_filler", "self", "unit_weight", "unit_length", "oath", "laugh")
    known = HEIGHTS if fired.rule.kind == "height" else WEIGHTS
    for place in range(first, stop):
        figure = find_number(message, place, end=stop, can_group=False)
        if figure is not None:
            is_all = message.has_in("now", first, stop) and message.has_only(small, first, place)
            is_all = is_all and not figure.suffix and message.has_only(small, figure.end, stop)
            return int(figure.value) if is_all and int(figure.value) in known else None
    return None


def _measure(message: Message, fired: Fired) -> int | None:
    groups = fired.groups
    if fired.rule.kind == "height":
        value = _height(message, fired, groups)
        return value if value in HEIGHTS else None
    value = _weight(message, fired, groups)
    return value if value in WEIGHTS else None


def _round(value: float) -> int:
    return int(value + 0.5)


def _height(message: Message, fired: Fired, groups: dict[str, str]) -> int | None:
    if groups.get("cm"):
        return _round(parse_digits(groups["cm"]))
    if groups.get("inch"):
        return _round(int(groups["inch"]) * CM_PER_INCH)
    if groups.get("feet"):
        if _goes_on(message, fired):
            return None
        inches = int(groups["feet"]) * 12 + int(groups.get("inches") or 0)
        return _round(inches * CM_PER_INCH) if int(groups.get("inches") or 0) < 12 else None
    if groups.get("feetword"):
        return _read_feet(message, fired, has_inches=bool(groups.get("inchword")))
    if groups.get("metres"):
        metres = groups["metres"].replace(",", ".").replace(" ", "")
        return _round(float(metres) * 100)
    if groups.get("over"):
        over = int(groups["over"])
        return 100 + over if over >= 10 else 100 + over * 10
    if fired.rule.object_side == "before":
        number = _number_before(message, fired.start)
        return None if number is None or _measures_cloth(message, fired.end) else int(number.value)
    return _spoken(message, fired)


def _read_feet(message: Message, fired: Fired, *, has_inches: bool) -> int | None:
    """Five foot six, and five six with `has_inches`: feet in words, in centimetres."""
    spelt = [int(match.canonical) for match in message.list_in("number", fired.start, fired.end)]
    if len(spelt) <= has_inches:
        return None
    if has_inches:
        return _round((spelt[0] * 12 + spelt[1]) * CM_PER_INCH)
    first, last = message.clause(fired.start)
    number = find_number(message, fired.end, end=min(last, fired.end + 2), can_group=False)
    inches = int(number.value) if number is not None else 0
    place = number.end if number is not None else len(message.tokens)
    is_said = place < len(message.tokens) and message.tokens[place].text in message.grammar.inches
    is_said = is_said and not _counts_cloth(message, place + 1)
    is_body = any(message.has_in(name, first, last) for name in ("unit_weight", "size_word", "measure_word"))
    is_mine = message.has_in("self", *message.segment(fired.start))
    if not (is_mine or is_body or is_said or _says_tall(message, fired)):
        return None
    return _round((spelt[0] * 12 + inches) * CM_PER_INCH) if inches < 12 else None


def _counts_cloth(message: Message, index: int) -> bool:
    """Five feet six inches of fabric: what is measured stands behind."""
    return index < len(message.tokens) and message.tokens[index].text in message.grammar.of_cloth


def _says_tall(message: Message, fired: Fired) -> bool:
    """Five foot six tall; "six feet apart" is a distance."""
    words = (*message.tokens[fired.end : fired.end + 3], *message.tokens[message.clause(fired.start)[0] : fired.start])
    return any(word.text in message.grammar.says_tall for word in words)


def _spoken(message: Message, fired: Fired) -> int | None:
    """A number in words after the trigger: рост сто семьдесят, метр шестьдесят пять."""
    end = min(message.clause(fired.start)[1], fired.end + 6)
    conj = message.at(fired.end, "conj")
    if fired.end < end and message.tokens[fired.end].text in message.grammar.and_half:
        return 150  # "طولي متر ونص"
    number = find_number(message, conj.end if conj is not None else fired.end, end=end, can_group=False)
    number = _read_one_seventy(message, fired.end, end) or number or _number_apart(message, fired)
    if number is None or _measures_cloth(message, number.end):
        return None
    value = int(number.value)
    if not number.is_word and value < 100:
        return None  # "размер и рост: 46, 170"
    return value if value >= 100 else 100 + value


def _measures_cloth(message: Message, index: int) -> bool:
    """Сто пятьдесят сантиметров кружева."""
    things = ("fabric", "material", "generic", "other_value", "specific_item", "garment_word")
    return index < len(message.tokens) and any(message.at(index, name) for name in things)


def _weight(message: Message, fired: Fired, groups: dict[str, str]) -> int | None:
    if groups.get("kg") and message.at(fired.end, "unit_pound") is not None:
        return _round(parse_digits(groups["kg"]) * KG_PER_POUND)
    if groups.get("kg"):
        return _round(parse_digits(groups["kg"]))
    if groups.get("pounds"):
        return _round(parse_digits(groups["pounds"]) * KG_PER_POUND)
    end = min(message.clause(fired.start)[1], fired.end + 6)
    number = find_number(message, fired.end, end=end, can_group=False)
    if fired.rule.object_side == "before":
        number = _number_before(message, fired.start)
    elif number is None:
        number = _number_apart(message, fired)
    if number is None or (number.value >= HEIGHTS.start and _is_named_with_height(message, fired)):
        return None
    return int(number.value)


def _goes_on(message: Message, fired: Fired) -> bool:
    """Height 64 inches: no six foot four, the inches are counted alone."""
    digits = message.tokens[fired.end - 1].text
    following = message.tokens[fired.end].text if fired.end < len(message.tokens) else ""
    return len(digits) > 1 and digits.isdigit() and following in message.grammar.inches


def _is_named_with_height(message: Message, fired: Fired) -> bool:
    """Рост и вес 168 и 58: the first number is the height's."""
    first = message.clause(fired.start)[0]
    place = fired.start - 1
    while place >= first and (message.tokens[place].kind == "mark" or message.at(place, "conj") is not None):
        place -= 1
    return place >= first and message.tokens[place].text.startswith(message.grammar.height_beginnings)


def _number_apart(message: Message, fired: Fired) -> Number | None:
    """Вешу я, если уж начистоту, 83: a number alone in a later segment of the clause."""
    last = message.clause(fired.start)[1]
    for first, stop in message.segments[message.segment_of[fired.end - 1] + 1 :]:
        if first >= last or stop - fired.end > APART or any(message.has_in(name, first, stop) for name in _OTHERS):
            return None
        number = find_number(message, first, end=stop, can_group=False)
        if number is not None:
            is_alone = message.has_only(("unit_weight", "unit_length"), number.end, stop)
            return number if is_alone and not number.suffix else None
    return None


def _number_before(message: Message, end: int) -> Number | None:
    """Fifty nine kilos: the longest number in words that ends right before the unit."""
    for start in range(max(message.clause(end)[0], end - 4), end):
        number = _read_one_seventy(message, start, end) or find_number(message, start, end=end, can_group=False)
        if number is not None and number.is_word and number.end == end:
            return number
    return None


def _read_one_seventy(message: Message, index: int, end: int) -> Number | None:
    """One seventy, one sixty nine: the hundred of a height is not said."""
    if index + 1 >= end or message.tokens[index].text not in message.grammar.hundred_unsaid:
        return None
    tens = find_number(message, index + 1, end=end, can_group=False)
    if tens is None or not tens.is_word or not 20 <= tens.value < 100:
        return None
    return Number(100 + tens.value, index, tens.end, is_word=True)


def _counts_something(message: Message, fired: Fired) -> bool:
    """A bare number in front of a noun counts that noun: 150 pages."""
    if message.tokens[fired.end - 1].kind != "number" or fired.end >= len(message.tokens):
        return False
    following = message.tokens[fired.end]
    tied = (
        "conj",
        "contrast",
        "size_filler",
        "self",
        "now",
        "approximately",
        "oath",
        "laugh",
        "size_word",
        "filler",
        "polite",
        "please",
        "decoy",
    )
    return following.kind == "word" and not any(message.at(fired.end, category) for category in tied)


def _find_measure_veto(message: Message, fired: Fired, *, is_over: bool = False) -> str | None:
    """Why a measure is not the writer's own; `is_over`: it is past, and what it is now stands behind it."""
    veto = find_statement_veto(message, fired.start, fired.end)
    if veto is not None and not (veto == "past" and is_over):
        return veto
    subject = find_subject(message, fired.start, fired.end)
    if subject == "other" or (subject is None and continues_about_other(message, fired.start)):
        return "other_subject"
    if is_negated(message, fired.start) or message.has_in("negator", fired.start, fired.end):
        return "negated"
    if message.has_in("to_be", message.segment(fired.start)[0], fired.end):
        return "wish"
    return _find_body_veto(message, fired) or _find_thing_veto(message, fired) or _find_context_veto(message, fired)


def _find_body_veto(message: Message, fired: Fired) -> str | None:
    """The words near the measure: what is measured is no body."""
    first, last = message.segment(fired.start)
    near = (max(first, fired.start - BODY_REACH), min(max(last, fired.end), fired.end + BODY_REACH_AFTER))
    if _is_joined_behind(message, fired):
        near = (near[0], fired.end)
    is_of = fired.end < last and message.tokens[fired.end].text in message.grammar.of_goods
    if is_of or message.has_in("not_body", *near):
        return "not_body"
    if fired.rule.kind == "weight" and not _is_joined_behind(message, fired) and _measures_cloth(message, fired.end):
        return "not_body"  # "60 кг шерсти"
    if _is_weighed_then(message, fired):
        return "past"
    if first and message.tokens[first - 1].text == ":" and message.has_in("not_body", *message.segment(first - 1)):
        return "not_body"  # "weight of the parcel: 60 kg"
    if _is_put_on_scales(message, first):
        return "not_body"
    return None


def _find_thing_veto(message: Message, fired: Fired) -> str | None:
    """What stands before it in the segment: a thing, a label, a wish."""
    first = message.segment(fired.start)[0]
    things = [m for m in message.list_in("thing", first, fired.start + 1) if message.at(m.end, "number") is None]
    if things and not message.has_in("self", first, fired.end):  # the "one" of "one sixty five tall" is a figure
        return "thing"
    if names_thing_before(message, fired.start):
        return "thing"
    if fired.rule.object_side == "none" and labels_measure(message, fired.start):
        return "thing"
    if first and fired.start == first and _is_headed_by_wish(message, first):
        return "wish"
    return "not_body" if fired.rule.object_side == "none" and _counts_something(message, fired) else None


def _find_context_veto(message: Message, fired: Fired) -> str | None:
    """For whom it is, words that nobody knows, what is asked."""
    if _is_for_somebody(message, fired):
        return "other_subject"
    if _is_threshold(message, fired):
        return "not_body"
    is_strange_here = is_nobodys(message, fired.start, fired.end) or is_measured_first(message, fired.start)
    if has_vocabulary(fired.rule) and is_strange_here:
        return "not_understood"
    if _is_remarked_on(message, fired):
        return "general"
    asked = (message.clause(fired.start)[0], max(message.segment(fired.start)[1], fired.end))
    return "request" if fired.rule.object_side == "none" and _is_requested(message, fired, *asked) else None


def _is_joined_behind(message: Message, fired: Fired) -> bool:
    """وزني 59 والشنطة 30 كيلو, my weight is 59 and the bag 30: an "and" behind the writer's own opens another thing."""
    if fired.end >= len(message.tokens) or not message.has_in("self", fired.start, fired.end):
        return False
    token = message.tokens[fired.end]
    is_attached = token.script == "arabic" and token.text.startswith(message.grammar.and_the)
    return is_attached or message.at(fired.end, "conj") is not None


def _is_requested(message: Message, fired: Fired, first: int, last: int) -> bool:
    """Something for 170 cm asks; "never send me flats, I'm 4'11" and what stands behind an "I am" do not."""
    start = message.segment(fired.start)[0]
    if start > first and message.has_in("self", start, fired.end):
        return message.has_in("request", start, last)
    return any(not is_negated(message, m.start) for m in message.list_in("request", first, last))


def _is_for_somebody(message: Message, fired: Fired) -> bool:
    """For a 12 year old, 150 cm: the clause opens with whom it is for, by an age or a word that nobody knows."""
    first = message.clause(fired.start)[0]
    if message.tokens[first].text not in message.grammar.for_words or first + 2 >= fired.start:
        return False
    place = first + 1 + (message.at(first + 1, "article") is not None)
    is_unknown = message.tokens[place].kind == "number" or is_strange(message, place)
    return is_unknown and not message.has_in("self", first, fired.start)


def _is_threshold(message: Message, fired: Fired) -> bool:
    """Petite means under 160 cm: a limit, with nobody before it whose it is."""
    first = message.segment(fired.start)[0]
    has_limit = any(m.canonical == "limit" for m in message.ends[fired.start] if m.category == "threshold")
    return has_limit and not message.has_in("self", first, fired.start)


def _is_weighed_then(message: Message, fired: Fired) -> bool:
    """В 55 кг я влезала во всё: a verb of the past that nobody knows follows the "I"."""
    last = message.segment(fired.end - 1)[1]
    own = message.find_in("self", fired.end, last)
    place = own.end if own is not None else last
    endings = message.grammar.then_endings
    return place < last and is_strange(message, place) and message.tokens[place].text.endswith(endings)


def _is_put_on_scales(message: Message, first: int) -> bool:
    """I weighed the suitcase, 32 kg: the part right before the one that opens at `first` says what was weighed."""
    if first == 0 or message.clause_of[first - 1] != message.clause_of[first]:
        return False
    start, last = message.segment(first - 1)
    weighed = [i for i in range(start, last) if message.tokens[i].text in message.grammar.weighing]
    return bool(weighed) and message.has_in("not_body", weighed[0], last)


def _is_remarked_on(message: Message, fired: Fired) -> bool:
    """5'8 is tall for a girl: the measure is what is spoken of, and nobody's."""
    following = message.tokens[fired.end].text if fired.end < len(message.tokens) else ""
    last = message.segment(fired.start)[1]
    return following in message.grammar.remarking and not message.has_in("self", fired.end, min(last, fired.end + 3))


def _is_headed_by_wish(message: Message, first: int) -> bool:
    """Goal: 58 kg. What stands before the colon names what is wanted."""
    heading = message.segments[message.segment_of[first] - 1]
    return message.tokens[first - 1].text == ":" and message.has_in("wish", *heading)
