"""Subjects that no vocabulary knows, told by the form of the sentence: "my flat is size M", "эго у меня XXL"."""

from __future__ import annotations

from patterns.statements.unknown import is_strange
from patterns.steps.message import Message

_OF_THE_WRITER = (
    "size_word", "half", "garment_word", "all_clothes", "usual_word", "measure_word", "skin", "unit_length",
    "unit_weight", "sizing", "reaction_link", "budget_word", "limit_word",
)  # fmt: skip
MAX_NOUN = 3  # words between "my" and "is"
MAX_BEFORE = 40  # words in which a thing with its own verb is looked for: nobody speaks longer without a mark


def names_thing_before(message: Message, start: int) -> bool:
    """My gym bag is 40 kg: a noun with its own verb stands before, and it is neither clothes nor the body."""
    first = max(message.segment(start)[0], start - MAX_BEFORE)
    openers = message.grammar.name_openers
    for index in range(first, start):
        is_joined = index > first and message.at(index - 1, "conj") is not None and message.has_in("self", first, index)
        if message.tokens[index].text in openers and not is_joined and _is_subject(message, index + 1, start):
            return True
    return _is_named(message, first, start) or _owns_before(message, start) or _is_at_somebody(message, first, start)


def _is_at_somebody(message: Message, first: int, start: int) -> bool:
    """У Маши аллергия, у моего счёта аллергия: "у" and a word that is neither the writer nor of the body."""
    at_whom, my_forms = message.grammar.at_whom, message.grammar.my_forms
    for index in range(first, start - 1):
        if message.tokens[index].text not in at_whom:
            continue
        noun = index + 1
        while noun < start and message.tokens[noun].text in my_forms:
            noun += 1
        is_plain = noun < start and message.at(index, "self") is None and message.at(index, "both") is None
        if is_plain or noun > index + 1:
            return not _belongs(message, noun, start) and not message.has_in("self", noun, start)
    return False


def _belongs(message: Message, noun: int, start: int) -> bool:
    """Whether a word is the writer, the body or clothes, or one whom the vocabulary knows and others judge."""
    if noun >= start or message.tokens[noun].text in message.grammar.not_another:
        return True
    known = (*_OF_THE_WRITER, "self", "both", "brand", "relation", "other")
    return any(message.at(noun, name) is not None for name in known)


def _is_named(message: Message, first: int, start: int) -> bool:
    """Ahmed is 90 kg, Sara can spend 500: a word that nobody knows opens the segment and has a verb of its own."""
    if first + 1 >= start + 1 or message.starts[first] or message.tokens[first].kind != "word":
        return False
    verb = message.tokens[min(first + 1, len(message.tokens) - 1)].text
    if message.at(first + 1, "third_person") is not None and not message.has_in("self", first, start):
        return True
    is_verb = verb in message.grammar.thing_verbs or verb in message.grammar.name_verbs
    return is_verb and not message.has_in("self", first, start)


def labels_measure(message: Message, start: int) -> bool:
    """Шкаф 180 см: a word that nobody knows opens the segment right before a bare measure."""
    first = message.segment(start)[0]
    word, ands = message.tokens[first], message.grammar.and_words
    is_close = all(t.kind in ("number", "mark") or t.text in ands for t in message.tokens[first + 1 : start])
    if start == first or not is_close or word.kind != "word" or word.script not in ("cyrillic", "arabic"):
        return False
    return not message.starts[first] and not word.text.endswith(message.grammar.verb_endings)


def _is_subject(message: Message, noun: int, start: int) -> bool:
    for place in range(noun, min(noun + MAX_NOUN + 1, start)):
        if message.tokens[place].kind != "word" or message.at(place, "self") is not None:
            return False
        if place > noun and message.tokens[place].text in message.grammar.thing_verbs:
            return not message.has_in("self", place, start)
        if any(message.at(place, name) is not None for name in _OF_THE_WRITER):
            return False
    return False


def _owns_before(message: Message, start: int) -> bool:
    """Эго у меня XXL: a word that nobody knows opens the segment right before "у меня"."""
    first, grammar = message.segment(start)[0], message.grammar
    for own in message.list_in("self", first + 1, start + 1):
        noun = message.tokens[own.start - 1]
        if message.tokens[own.start].text not in grammar.at_whom or own.start - 1 != first or noun.kind != "word":
            continue
        is_unknown = not message.starts[first] and not message.ends[own.start]
        if is_unknown and not noun.text.endswith(grammar.verb_endings):
            return True
    return False


def heads_chart(message: Message, end: int) -> bool:
    """Size M: bust 92, waist 74: behind the colon stand the measures of a garment."""
    if end + 1 >= len(message.tokens) or message.tokens[end].text not in (":", "-", "=", "("):
        return False
    return message.at(end + 1, "body_part") is not None or message.at(end + 2, "body_part") is not None


def is_answered_no(message: Message, end: int) -> bool:
    """Allergic to wool? No, I just hate it: the question that was read as a heading is answered with no."""
    if end + 1 >= len(message.tokens) or message.tokens[end].text != ":":
        return False
    if message.normal.text[message.tokens[end].start] != "?":
        return False
    limit = message.at(end + 1, "approximately")
    if limit is not None and limit.end > end + 2:
        return False  # "my budget? Not more than 300"
    answer = message.at(end + 1, "retraction")
    if answer is not None and answer.canonical in ("answer", "denial"):
        return True
    return any(message.at(end + 1, name) is not None for name in ("negator", "denial"))


def is_of_named(message: Message, start: int) -> bool:
    """Sarah's budget, Tom's limit: a word that nobody knows, with an "s" of whose it is, stands right before."""
    if start <= message.segment(start)[0]:
        return False
    name, endings = message.tokens[start - 1], message.grammar.owner_endings
    if start > 1 and message.tokens[start - 2].text in message.grammar.my_things:
        return False  # "my Christmas budget"
    return (
        name.script == "latin" and name.text.endswith(endings) and len(name.text) > 3 and is_strange(message, start - 1)
    )
