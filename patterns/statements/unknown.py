"""Words that nobody knows beside a weak statement: where what stands around it is not understood, there is no fact.

"I drive a size M van", "10 signs of a nickel allergy", "weights on the bar 60 kg": it is plain what, not whose.
"""

from __future__ import annotations

from patterns.rule import Rule
from patterns.steps.message import Message

_OF_PEOPLE = ("self", "both")
_OWN = ("self", "size_word", "size_letter", "measure_word", "usual_word", "budget_word")
_MANNER = 5  # letters that a word of manner has more than
_LETTERS = 3  # of a word that says something; shorter ones are small words that no list holds


def has_vocabulary(rule: Rule) -> bool:
    """Whether words of the rule's language could be known: of a language that staff teach ("other") hardly any is."""
    return rule.language != "other"


def is_out_of_place(message: Message, start: int, end: int) -> bool:
    """Whether a weak statement stands among words that nobody knows; with "I" about, only those beside it count."""
    first, last = message.segment(start)[0], message.segment(end - 1)[1]
    if not any(message.has_in(name, first, last) for name in _OF_PEOPLE):
        return has_strange_in(message, first, last)
    if not any(message.has_in(name, first, end) for name in _OF_PEOPLE) and has_strange_in(message, first, start):
        return True  # "the app guessed size M from my selfie"
    own = message.find_last_in("self", first, start)
    is_led = own is not None and has_strange_in(message, own.end, start)  # "I photograph a size 38"
    return is_led or (end < last and is_strange(message, end))


def has_strange_beside(message: Message, start: int, end: int) -> bool:
    """Whether a word that nobody knows stands in the segments of a span."""
    return has_strange_in(message, message.segment(start)[0], message.segment(end - 1)[1])


def has_strange_in(message: Message, start: int, end: int) -> bool:
    """Whether a word that nobody knows stands in [start, end)."""
    return any(is_strange(message, index) for index in range(start, end))


def is_strange(message: Message, index: int) -> bool:
    """Whether a token is a word of some length that neither the vocabulary nor a trigger knows.

    A Russian verb of the first person says whose it is, whatever it means; an English "-ly" only how.
    """
    if not message.unnamed[index]:
        return False
    token = message.tokens[index]
    text, grammar = token.text, message.grammar
    if (
        len(text) < _LETTERS
        or text.endswith(grammar.my_verb_endings)
        or (token.script == "latin" and len(text) > _MANNER and text.endswith(grammar.manner_endings))
    ):
        return False
    return message.strange[index]


def is_nobodys(message: Message, start: int, end: int) -> bool:
    """Whether no "I" stands in the clause of a statement and a word that nobody knows stands beside it."""
    clause = message.clause(start)[0], message.clause(end - 1)[1]
    if any(message.has_in(name, *clause) for name in _OF_PEOPLE):
        return False
    return has_strange_beside(message, start, end)


def is_told_by_another(message: Message, start: int, end: int) -> bool:
    """Mum swears wool gives me hives: a person with a verb that nobody knows leads up to the statement."""
    if "relation" not in message.marks and "other" not in message.marks:
        return False
    first = message.segment(start)[0]
    if any(token.text in message.grammar.i_words for token in message.tokens[start:end]):
        return False  # "my husband loves animal print, I never wear it"
    for name in ("relation", "other"):
        for person in message.list_in(name, first, start):
            verb = person.end
            is_judged = person.language in ("en", "ru") and person.start not in message.consumed
            if is_judged and verb < start and is_strange(message, verb):
                return not message.has_in("self", verb, start) and not message.has_in("conj", verb, start)
    return False


def names_thing_first(message: Message, start: int) -> bool:
    """A coffee, size L; the pink one, size M; my order: an M dress: the clause begins with a thing that it is of."""
    first = message.clause(start)[0]
    end = message.segment(first)[1]
    if end > start:
        return False
    if message.tokens[first].text in message.grammar.thing_articles:
        has_figure = any(token.kind == "number" for token in message.tokens[first:end])
        return not has_figure and not any(message.has_in(name, first, end) for name in _OWN)
    return message.tokens[end - 1].text == ":" and message.has_in("ordered", first, end)


def is_measured_first(message: Message, start: int) -> bool:
    """Reviewer 5'6, 140 lbs: who was measured in the first segment of the clause is not the writer."""
    clause = message.clause(start)
    first = clause[0]
    end = message.segment(first)[1]
    if end > start or message.has_in("self", *clause):
        return False
    has_measure = any(first <= place < end for place, _ in message.triggered)
    is_thing = is_strange(message, first) or message.at(first, "budget_other") is not None  # "sofa 180 cm, 40 kg"
    return is_thing and has_measure and any(t.kind == "number" for t in message.tokens[first:end])


def is_told_of_thing(message: Message, start: int) -> bool:
    """Label sewn in upside down, size 36: no "I" in the clause, and words that nobody knows in the segment before."""
    first = message.clause(start)[0]
    number = message.segment_of[start] - 1
    if number < 0 or message.segments[number][0] < first or message.has_in("self", *message.clause(start)):
        return False
    before = message.segments[number]
    if message.tokens[before[1] - 1].text == ":":
        return False
    return sum(is_strange(message, index) for index in range(*before)) > 1
