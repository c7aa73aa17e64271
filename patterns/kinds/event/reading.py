"""Reads coming life events: event table x relation table x date grammar."""

from __future__ import annotations

import calendar
from datetime import date, timedelta

from patterns.kinds.event.cancellations import is_called_off
from patterns.kinds.event.event_dates import find_date as find_date
from patterns.kinds.event.event_mentions import find_mention_veto, is_called_by_name
from patterns.kinds.event.event_people import find_relation as find_relation
from patterns.kinds.event.event_people import is_company
from patterns.kinds.event.event_work import is_for_client, is_served_by_group, is_work
from patterns.matching.lexicon import LexiconMatch
from patterns.statements.strangers import names_thing_before
from patterns.statements.unknown import is_strange
from patterns.statements.vetoes import find_statement_veto, is_negated
from patterns.steps.dates import DEFAULT_DAYS, When
from patterns.steps.draft import Draft, Findings, Fired
from patterns.steps.message import Message


def read_events(message: Message, fired: list[Fired], findings: Findings) -> None:
    """Every event ahead with its relation and its date; the bare event gives way to the same one with a relation."""
    drafts: list[Draft] = []
    for trigger in fired:
        event = _age_at(message, trigger) if trigger.rule.kind == "age" else _event_at(message, trigger.start)
        if event is None:
            continue
        if _goes_to_another(message, event):
            continue
        relation = find_relation(message, event)
        when = find_date(message, event, findings.today)
        relation = relation or _relation_beside_date(message, event, when)
        reason = _find_veto(message, event, relation, when)
        if reason is not None:
            findings.refuse(trigger, reason)
            continue
        key = name_event(message, event, relation, when)
        on = when.on if when is not None else findings.today + timedelta(days=DEFAULT_DAYS)
        drafts.append(Draft("life_event", key, event.canonical, *_span(event, relation, when), trigger.rule, on))
    if drafts:
        findings.drafts.extend(_drop_repeated(drafts, findings.today))


def consume_relations(message: Message) -> None:
    """Mark the relations that name an event, so that "my sister's wedding, size M" is not read as the sister's size."""
    message.consume_address()
    grammar = message.grammar
    for person in message.marks.get("other", ()):
        if message.tokens[person.start].text in grammar.size_wearers and message.ends_with(person.start, "size_letter"):
            message.consumed.update(range(person.start, person.end))  # "as a size L woman"
    for copula in message.marks.get("copula", ()):
        place = copula.end + (copula.end < len(message.tokens) and message.tokens[copula.end].text in grammar.all_of_it)
        is_figure = place < len(message.tokens) and message.tokens[place].kind == "number"
        if is_figure or any(message.at(place, name) is not None for name in ("budget_word", "limit_noun")):
            message.consumed.update(
                range(copula.start, copula.end)
            )  # "the budget هو 800", "500 هي ميزانيتي" name nobody
    for person in (*message.marks.get("relation", ()), *message.marks.get("other", ())):
        is_day = message.tokens[person.start].text in grammar.day_no_person
        if is_day or message.is_covered(person, ("brand", "limit_word")) or _is_small_word(message, person):
            message.consumed.update(range(person.start, person.end))
    for category in ("event", "work_party"):
        for event in message.marks.get(category, ()):
            relation = find_relation(message, event)
            if relation is not None and event.canonical not in grammar.own_events:
                message.consumed.update(range(relation.start, relation.end))
                message.consumed.add(event.start)


def _is_small_word(message: Message, person: LexiconMatch) -> bool:
    """3andy 7asaseya men el soof: an English person that is a small word of the Arabizi around it."""
    small = message.at(person.start, "filler")
    if small is None or small.language != "arabizi" or person.language != "en":
        return False
    around = (person.start - 1, person.end)
    return any(
        m.language == "arabizi" for i in around if 0 <= i < len(message.starts) for m in message.starts[i].values()
    )


def _goes_to_another(message: Message, event: LexiconMatch) -> bool:
    """Off to a wedding: the way there is no trip of its own."""
    following = message.find_in("event", event.end, min(event.end + 2, len(message.tokens)))
    return event.canonical == "trip" and following is not None and following.canonical != "trip"


def _age_at(message: Message, fired: Fired) -> LexiconMatch | None:
    """I turn 30 next month: a birthday by its number."""
    if any(message.at(fired.end, category) for category in ("event_thing", "not_years")):
        return None
    first, last = message.clause(fired.start)
    named = [m for name in ("event", "work_party") for m in message.list_in(name, first, last)]
    if any(event.canonical != "party" or event.category == "work_party" for event in named):
        return None
    return LexiconMatch("event", "birthday", fired.rule.language, fired.start, fired.end)


def _event_at(message: Message, index: int) -> LexiconMatch | None:
    event = message.at(index, "work_party") or message.at(index, "event")
    if event is None or message.starts[index].get("no_event"):
        return None
    if _is_inside_longer(message, event) or _numbers_thing(message, event):
        return None
    if any(
        m.category == "no_event" for e in range(index + 1, min(index + 4, len(message.ends))) for m in message.ends[e]
    ):
        return None
    return event


def _numbers_thing(message: Message, event: LexiconMatch) -> bool:
    """My 30th parcel: a birthday told by its number stands before no noun."""
    number = message.tokens[event.end - 1].text
    if not number.endswith(message.grammar.ordinal_endings) or not _has_digit(message, event):
        return False
    if event.end >= len(message.tokens) or message.tokens[event.end].kind != "word":
        return False
    known = (
        "event",
        "filler",
        "conj",
        "date_phrase",
        "day_word",
        "weekday",
        "future",
        "scope_opener",
        "turns",
        "within",
    )
    return not any(message.at(event.end, name) is not None for name in known)


def _has_digit(message: Message, event: LexiconMatch) -> bool:
    return any(message.tokens[index].text[0].isdigit() for index in range(event.start, event.end))


def _is_inside_longer(message: Message, event: LexiconMatch) -> bool:
    """Our wedding anniversary is no wedding."""
    earlier = [m for c in ("event", "work_party") for m in message.list_in(c, max(0, event.start - 4), event.start)]
    return any(m.end >= event.end for m in earlier)


def _relation_beside_date(message: Message, event: LexiconMatch, when: When | None) -> LexiconMatch | None:
    """Grandpa turns 80 next month, big birthday: the person stands with the date in another segment."""
    if when is None or event.canonical in message.grammar.own_events:
        return None
    if message.segment_of[when.start] == message.segment_of[event.start]:
        return _whose_age(message, event)
    segment = message.segment(when.start)
    if message.has_in("event", *segment):
        return None
    return message.find_in("relation", *segment)


def _whose_age(message: Message, event: LexiconMatch) -> LexiconMatch | None:
    """My niece turns 5, birthday party on May 10: the segment before says who."""
    number = message.segment_of[event.start] - 1
    if number < 0 or message.segments[number][0] < message.clause(event.start)[0]:
        return None
    segment = message.segments[number]
    tells_age = message.has_in("turns", *segment) or message.has_in("number", *segment)
    return message.find_in("relation", *segment) if tells_age else None


def _find_veto(message: Message, event: LexiconMatch, relation: LexiconMatch | None, when: When | None) -> str | None:
    veto = find_statement_veto(message, event.start, event.end, is_event=True)
    if veto is not None:
        return veto
    clause = message.clause(event.start)
    number = max(0, message.segment_of[event.start] - 1)  # what is on television further off is another matter
    if _is_titled(message, event, max(clause[0], message.segments[number][0]), clause[1]):
        return "title"
    if is_called_off(message, event):
        return "cancelled"
    if _is_over(message, event, clause):
        return "past"
    if message.at(event.end, "event_thing") or message.has_in("event_other_sense", *message.segment(event.start)):
        return "only_mentioned"
    if is_negated(message, event.start, reach=2):
        return "negated"
    if event.canonical == "birthday" and relation is not None and relation.category == "work":
        return "only_mentioned"  # a firm's birthday is nobody's
    if relation is None and _is_of_shop(message, event):
        return "only_mentioned"
    if relation is None and _is_somethings(message, event):
        return "only_mentioned"
    if event.canonical in message.grammar.own_events and (
        _is_someone_elses(message, event, relation) or names_thing_before(message, event.start)
    ):
        return "someone_elses"
    if relation is None and (_is_strangers(message, event) or _is_of_her(message, event)):
        return "other_subject"
    if when is None and not message.has_in("future", *clause):
        return "not_ahead"
    if when is not None and when.start and message.tokens[when.start - 1].text in message.grammar.counted_over:
        return "not_ahead"  # "за неделю до свадьбы" tells of the week
    if relation is None and event.canonical not in message.grammar.own_events and is_work(message, event):
        return "work"
    if relation is not None and relation.category == "work" and is_served_by_group(message, event):
        return "work"
    if is_for_client(message, event):
        return "work"
    return find_mention_veto(message, event, relation)


def _is_titled(message: Message, event: LexiconMatch, first: int, last: int) -> bool:
    """The Wedding Party, a great film; what the writer reads in a segment of its own names no event."""
    here = message.segment(event.start)
    return any(
        not message.is_covered(word, ("event",))
        and (here[0] <= word.start < here[1] or not message.has_in("self", *message.segment(word.start)))
        for word in message.list_in("title", first, last)
    )


def _is_of_shop(message: Message, event: LexiconMatch) -> bool:
    """Birthday у Zara, презентация духов, Mango anniversary: a brand or goods right beside it, and no "I" before."""
    first, last = message.segment(event.start)
    firm = message.find_last_in("firm", first, event.start) if event.category != "work_party" else None
    if firm is not None and not message.has_in("self", firm.end, event.start):
        return True  # "компания отмечает юбилей"
    if message.has_in("self", first, event.start):
        return False
    beside = message.list_in("brand", event.end, min(last, event.end + 2))
    beside += [m for m in message.ends[event.start] if m.category == "brand" and m.start >= first]
    goods = [m for name in ("irritant", "fabric") for m in message.list_in(name, event.end, event.end + 1)]
    return bool(beside or (goods and event.canonical == "presentation"))


def _is_somethings(message: Message, event: LexiconMatch) -> bool:
    """Юбилей завода, رحلة الباص, engagement rate: the word right behind that nobody knows says what the event is of."""
    last = message.segment(event.start)[1]
    place, words = event.end, message.grammar
    if event.category == "work_party" or (event.canonical in words.own_events and event.canonical != "vacation"):
        return False
    if place < last and message.tokens[place].text in words.the_apart:
        place += 1
    if place >= last or not is_strange(message, place):
        return False
    is_bare = place == event.end and not message.tokens[place].text.startswith(words.the_letters)
    if event.canonical == "vacation" and is_bare:
        return False
    if message.tokens[event.end - 1].text.endswith(words.my_doing_endings):
        return False  # "اجازتي الصيفية"
    return not message.has_in("self", message.segment(event.start)[0], event.start)


def _is_someone_elses(message: Message, event: LexiconMatch, relation: LexiconMatch | None) -> bool:
    """My brother is away on vacation, the company moves: nothing that the user dresses for."""
    if relation is not None and (relation.category == "relation" or event.canonical == "move"):
        return True
    first, _ = message.segment(event.start)
    person = message.find_last_in("relation", first, event.start)
    if person is None or is_company(message, person) or message.ends_with(person.start, "toward"):
        return False
    return not message.has_in("self", person.end, event.start)


def _is_over(message: Message, event: LexiconMatch, clause: tuple[int, int]) -> bool:
    """A past word in the clause that no word of the future covers ("was invited")."""
    for past in message.list_in("past", *message.segment(event.start)):
        covered = any(m.start <= past.start and past.end <= m.end for m in message.list_in("future", *clause))
        covered = covered or any(m.start <= past.start < m.end for m in message.list_in("within", *clause))
        covered = covered or message.is_covered(past, ("date_phrase",))  # "اول الشهر"
        is_part = past.start <= event.start < past.end  # "до свадьбы 3 недели", but "سوينا حفلة تخرج"
        covered = covered or (is_part and past.canonical != "celebrated")
        covered = covered or past.canonical == "place"  # "a presentation at uni" can be ahead
        if not covered:
            return True
    return False


def _is_of_her(message: Message, event: LexiconMatch) -> bool:
    """حفل تخرجها, 3irsha: a "her" or "their" is attached, and nobody whom the writer named."""
    last = event.end + (message.at(event.end, "event") is not None)  # "حفل تخرجها"
    for token in message.tokens[event.start : last]:
        is_hers = len(token.text) > 4 and token.text.endswith(message.grammar.her_endings)
        if is_hers and event.canonical not in message.grammar.own_events:
            return True
    return False


def _is_strangers(message: Message, event: LexiconMatch) -> bool:
    """Her trip, the neighbours' party: the nearest person in the segment is a stranger."""
    first, last = message.segment(event.start)
    others = [m for m in message.list_in("other", first, last) if not is_company(message, m, event)]
    days = message.grammar.day_no_person
    others = [m for m in others if not message.is_covered(m, ("weekday",)) and message.tokens[m.start].text not in days]
    people = [m for m in others if m.start < event.start]
    own = message.find_last_in("self", first, event.start)
    if people and (own is None or own.start < people[-1].end):
        return True
    if is_called_by_name(message, event):
        return True
    is_led = event.end + 1 < last and message.tokens[event.end].text in message.grammar.at_whom
    if is_led and is_strange(message, event.end + 1):
        return True  # "свадьба у Пугачёвой"
    return own is None and any(event.end <= m.start < event.end + 3 for m in others)


def name_event(message: Message, event: LexiconMatch, relation: LexiconMatch | None, when: When | None) -> str:
    """The event, with whose it is or the month it is in."""
    if event.category == "work_party":
        return "party_work"
    if relation is not None:
        return f"{event.canonical}_{relation.canonical}"
    if event.canonical in message.grammar.month_events and when is not None and when.month is not None:
        return f"{event.canonical}_{calendar.month_name[when.month].lower()}"
    return event.canonical


def _span(event: LexiconMatch, relation: LexiconMatch | None, when: When | None) -> tuple[int, int]:
    """From the first to the last token of what says the event, whose it is and when."""
    parts = [(event.start, event.end)] + [(p.start, p.end) for p in (relation, when) if p is not None]
    return min(start for start, _ in parts), max(end for _, end in parts)


def _has_own_date(bare: Draft, named_on: date | None, undated: date) -> bool:
    return bare.expires_on != named_on and bare.expires_on != undated and bare.value == "birthday"


def _drop_repeated(drafts: list[Draft], today: date) -> list[Draft]:
    """One event said twice is one: the bare form goes when the same event stands there with a relation or month.

    It stays with a date of its own: "my birthday is on March 20, mom's birthday on April 3".
    """
    named = {d.value: d.expires_on for d in drafts if d.key != d.value}
    undated = today + timedelta(days=DEFAULT_DAYS)
    kept = [d for d in drafts if d.key != d.value or d.value not in named or _has_own_date(d, named[d.value], undated)]
    if any(d.value == "vacation" for d in kept):
        kept = [d for d in kept if d.value != "trip"]
    has_occasion = any(d.value != "party" for d in kept)
    keys = {d.key for d in kept}  # "my boss is turning 50, party on Thursday" is the boss's birthday
    kept = [d for d in kept if not (d.value == "party" and d.key.replace("party", "birthday") in keys)]
    return [d for d in kept if not (d.key == "party" and has_occasion)]
