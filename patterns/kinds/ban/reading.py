"""Reads hard bans: things that must never be offered."""

from __future__ import annotations

from patterns.kinds.ban.limits import is_limited_ban, is_this_one
from patterns.kinds.ban.objects import (
    ANY,
    CATEGORIES,
    GENERAL,
    KEPT,
    NO_THING,
    ONE_ITEM,
    find_banned,
    list_added,
    says_more,
)
from patterns.statements.mended import read_mended
from patterns.statements.persons import find_subject
from patterns.statements.unknown import is_strange
from patterns.statements.vetoes import find_statement_veto, is_negated, is_past
from patterns.steps.draft import Draft, Findings, Fired
from patterns.steps.message import Message
from patterns.steps.values import ValueList

SHORT_SEGMENT = 5
MAX_POLITE = 4
PRONOUN_REACH = 3  # "don't show me her": small words before what points back
OCCASION_REACH = 4  # words between "to" and "wedding"


def read_bans(message: Message, fired: list[Fired], findings: Findings) -> None:
    """Every value that a ban, a habit or a general "don't want" reaches and nothing limits to a day, place or item."""
    for trigger in fired:
        if not findings.taken.isdisjoint(range(trigger.start, trigger.end)):
            findings.refuse(trigger, "taken_by_budget")
            continue
        values = find_banned(message, trigger)
        categories = CATEGORIES.get(trigger.rule.kind, GENERAL)
        values = read_mended(message, values, categories=categories, language=trigger.rule.language)
        if not values.items:
            findings.refuse(trigger, values.reason)
            continue
        reason = _find_veto(message, trigger, values)
        if reason is not None:
            findings.refuse(trigger, reason)
            continue
        for item in (*values.items, *list_added(message, trigger, values)):
            if item.end <= trigger.start and item.start in findings.named_allergens:
                findings.refuse(trigger, "is_allergy")  # "acrylic is out, I'm allergic to it" names one thing once
                continue
            start, end = min(trigger.start, item.start), max(trigger.end, item.end)
            findings.drafts.append(Draft("hard_ban", item.canonical, item.canonical, start, end, trigger.rule))


def _find_veto(message: Message, fired: Fired, values: ValueList) -> str | None:
    start, end = min(fired.start, values.start), max(fired.end, values.end)
    if message.clause_of[values.start] != message.clause_of[fired.start]:
        start, end = fired.start, fired.end
    return (
        _find_wording_veto(message, fired, values)
        or _find_said_veto(message, fired, (start, end))
        or _find_item_veto(message, fired, values)
        or _find_denial_veto(message, fired, (start, end))
        or _find_limit_veto(message, fired, values, (start, end))
        or _find_subject_veto(message, fired, values)
    )


def _find_wording_veto(message: Message, fired: Fired, values: ValueList) -> str | None:
    """The words of the ban themselves and right before it: who is told, and whether it is told at all."""
    kind = fired.rule.kind
    if kind == "like":
        return "like"
    is_bare = fired.end - fired.start == 1 and message.tokens[fired.start].text in message.grammar.bare_verdicts
    if is_bare and values.end <= fired.start and says_more(message, fired.end, message.clause(fired.start)[1]):
        return "says_more"
    if kind == "explicit" and _is_complaint(message, fired):
        return "statement"
    if kind == "explicit" and _is_for_occasion(message, fired):
        return "scope"
    if fired.end <= values.start and message.at(values.end, "allergy_word") is not None:
        return "statement"  # "delete my wool allergy"
    if kind in ("habit_bare", "lasting") and _is_begged(message, fired):
        return "other_subject"
    if kind == "want" and (_is_said_of_another(message, fired) or _follows_person(message, fired)):
        return "other_subject"
    return "other_subject" if kind in ("want", "habit", "habit_bare") and _is_told_of(message, fired) else None


def _find_said_veto(message: Message, fired: Fired, span: tuple[int, int]) -> str | None:
    """The clause: asked, supposed, past, told by another."""
    is_order = fired.rule.kind == "explicit"  # "if it has ruffles, don't show it" is no condition
    own = _list_polite(message, fired)
    veto = find_statement_veto(message, fired.start, fired.end, is_order=is_order, exposures=own)
    veto = veto or find_statement_veto(message, *span, is_order=is_order, exposures=own)
    is_polite = veto == "past" and is_order and _is_polite_past(message, fired)
    if is_polite or (veto == "past" and is_order and not is_past(message, fired.start, fired.end)):
        return None  # "I stopped wearing skinny jeans years ago, so don't show them"
    is_habit = fired.rule.kind in ("habit", "habit_bare", "want")
    if veto == "past" and is_habit and (_is_given_up(message, fired) or _is_concluded(message, fired)):
        return None
    return None if veto == "question" and is_order and _is_polite_order(message, fired) else veto


def _find_item_veto(message: Message, fired: Fired, values: ValueList) -> str | None:
    """One thing that is refused, and not its kind."""
    named = message.segment(values.start)[0]
    if values.start < fired.start and message.has_uncovered_in("thing", NO_THING, named, values.start):
        return "one_item"
    return "one_item" if _is_garment(message, values) or is_this_one(message, values) else None


def _find_denial_veto(message: Message, fired: Fired, span: tuple[int, int]) -> str | None:
    """What denies, excepts or softens the ban."""
    start, end = span
    before = message.tokens[fired.start - 1].text
    ever = fired.start > 0 and before in message.grammar.ever_word  # "don't ever stop showing me lace"
    is_doubled = fired.rule.language == "ru" and before in message.grammar.never_words
    reach = 3 if fired.end - fired.start == 1 and fired.rule.language == "en" else 1 + ever  # "don't want to hide lace"
    if fired.rule.kind == "explicit" and not is_doubled and is_negated(message, fired.start, reach=reach):
        return "double_negation"
    if fired.rule.kind == "habit" and _is_habit_denied(message, fired):
        return "double_negation"
    inside = message.ends[min(fired.start + 1, len(message.tokens))]
    if any(m.category == "whenever" and m.start < fired.start for m in inside):
        return "conditional"  # "kel ma albes nylon": the "ma" of "whenever" is no "not"
    if message.has_uncovered_in("double_negation", ("filler",), *message.clause(start)):
        return "double_negation"  # not the "كل ما" of "كل ما فيه ترتر"
    last = message.segment(end - 1)[1]
    if message.has_in("exception", message.segment(start)[0], last) or _is_excepted(message, end):
        return "exception"
    return "softener" if message.has_in("softener", message.segment(max(start, fired.start))[0], last) else None


def _is_habit_denied(message: Message, fired: Fired) -> bool:
    """ولا أرفض الدانتيل: a "not" right before a verb that refuses by itself."""
    words = message.tokens[fired.start : fired.end]
    refuses = any(token.text in message.grammar.refusing_verbs for token in words)
    return refuses and is_negated(message, fired.start, reach=1)


def _find_limit_veto(message: Message, fired: Fired, values: ValueList, span: tuple[int, int]) -> str | None:
    """What limits the ban to a day, place, occasion or condition."""
    kind = fired.rule.kind
    is_cried = kind == "explicit" and message.tokens[fired.start].text in message.grammar.cried_orders
    if (kind == "want" or is_cried) and _goes_on(message, values, fired.rule.language):
        return "conditional"
    if is_scoped(message, *span) or is_limited_ban(message, fired, values):
        return "scope"
    if kind in ("habit", "habit_bare", "want") and _is_limited(message, span[1]):
        return "conditional"
    if kind == "lasting" and not message.marks.get("lasting"):
        return "not_lasting"
    return "double_negation" if kind == "lasting" and _is_denied(message, fired.start) else None


def _goes_on(message: Message, values: ValueList, language: str) -> bool:
    """I don't want polyester pretending to be silk, mabi lace yban: a word that nobody knows says what of it."""
    if values.end >= message.segment(values.end - 1)[1] or not is_strange(message, values.end):
        return False
    return language in ("en", "ru") or message.tokens[values.end].text.startswith(message.grammar.its_verb_letters)


def _is_given_up(message: Message, fired: Fired) -> bool:
    """I no longer wear heels, I gave up heels years ago: what is past is the wearing, or when it ended."""
    grammar = message.grammar
    if grammar.given_up.isdisjoint(token.text for token in message.tokens[fired.start : fired.end]):
        return False
    return all(
        fired.start <= match.start < fired.end
        or message.tokens[match.end - 1].text in grammar.ago_word
        or message.tokens[match.start].text in grammar.past_days
        for match in message.list_in("past", *message.segment(fired.start))
    )


def _is_concluded(message: Message, fired: Fired) -> bool:
    """I broke my ankle years ago so I don't wear heels: what is past is why."""
    first, so_words = message.segment(fired.start)[0], message.grammar.so_words
    so = next((i for i in range(fired.start - 1, first, -1) if message.tokens[i].text in so_words), None)
    return so is not None and not message.has_in("past", so, fired.end)


def _is_polite_past(message: Message, fired: Fired) -> bool:
    """I'd prefer you didn't show me that: the only past of the segment is how the order is worded."""
    found = message.list_in("past", *message.segment(fired.start))
    return bool(found) and all(fired.start <= match.start < fired.end for match in found)


def _is_garment(message: Message, values: ValueList) -> bool:
    """The velvet dress, الفستان المخمل: what is refused is that garment, not its material."""
    first = values.items[0]
    return first.category in ONE_ITEM and any(m.category == "that_garment" for m in message.ends[first.start])


def _list_polite(message: Message, fired: Fired) -> tuple[int, ...]:
    """The "if" and "would" of "I'd be happy if you never showed me that": they put no condition."""
    if fired.rule.kind != "explicit":
        return ()
    first = max(message.segment(fired.start)[0], fired.start - MAX_POLITE)
    found = [match for name in ("conditional", "wish") for match in message.list_in(name, first, fired.end)]
    return tuple(m.start for m in found if not any(message.unnamed[m.end : fired.start]))  # "لو تحجبت لا تقترح"


def _is_for_occasion(message: Message, fired: Fired) -> bool:
    """If it's a garden party don't show me heels: the condition before the order names an occasion."""
    condition = message.find_last_in("conditional", message.clause(fired.start)[0], fired.start)
    if condition is None:
        return False
    return any(message.has_in(name, condition.end, fired.start) for name in ("occasion", "event", "weekday"))


def _is_complaint(message: Message, fired: Fired) -> bool:
    """ "You never show me leather" tells what happens, "never show me leather" orders it."""
    first = message.clause(fired.start)[0]
    before = message.tokens[fired.start - 1].text if fired.start > first else ""
    asking = message.tokens[fired.start - 2].text if fired.start - 1 > first else ""
    order, grammar = message.tokens[fired.start].text, message.grammar
    if order in grammar.not_word and message.tokens[fired.end - 1].text.endswith(grammar.shop_verb_endings):
        return True  # "мех не предлагаем" is what a shop says
    return asking not in grammar.asked_that and before in grammar.who_does and order in grammar.order_nots


def _is_told_of(message: Message, fired: Fired) -> bool:
    """ "You don't want me in leather": the word right before says who."""
    before = fired.start - 1
    return before >= message.clause(fired.start)[0] and message.tokens[before].text in message.grammar.who_does


def _is_begged(message: Message, fired: Fired) -> bool:
    """Guys, please never wear skinny jeans: what others are asked for is no habit."""
    worn = message.tokens[min(fired.end, len(message.tokens) - 1)].text
    is_worn = fired.rule.kind == "habit_bare" or worn in message.grammar.bought_or_worn
    return is_worn and any(match.category in ("please", "vocative", "addressed") for match in message.ends[fired.start])


def _is_said_of_another(message: Message, fired: Fired) -> bool:
    """Тётя просит 54, без рукавов не надо: with no "I" in it the refusal is the one's who asks."""
    if message.tokens[fired.end - 1].text not in message.grammar.impersonal_needs:
        return False
    return find_subject(message, fired.start, fired.end) == "other"


def _follows_person(message: Message, fired: Fired) -> bool:
    """Подруга mabi каблуки: who does not want them stands right before, and is not called to ("ya okhti")."""
    people = [m for m in message.ends[fired.start] if m.category in ("relation", "other")]
    people = [m for m in people if m.start not in message.consumed and m.start >= message.segment(fired.start)[0]]
    return any(not m.start or message.tokens[m.start - 1].text not in message.grammar.calling for m in people)


def _is_limited(message: Message, end: int) -> bool:
    """I don't wear suede when it's raining."""
    last = message.segment(end - 1)[1]
    return any(token.text in message.grammar.only_when for token in message.tokens[end:last])


def _is_denied(message: Message, start: int) -> bool:
    """ "Could never live without leather": a "not" before, with no value of its own between."""
    negator = message.find_last_in("negator", max(message.segment(start)[0], start - 5), start)
    if negator is None or any(t.text in message.grammar.so_words for t in message.tokens[negator.end : start]):
        return False  # "I don't like attention so no neon ever"
    return not any(message.has_in(category, negator.end, start) for category in ANY)


def _is_polite_order(message: Message, fired: Fired) -> bool:
    """ "Could you stop showing me heels?" orders, whatever its mark."""
    opener = message.find_last_in("polite_opener", max(0, fired.start - MAX_POLITE), fired.start + 1)
    return opener is not None and opener.end >= fired.start - 1


def _find_subject_veto(message: Message, fired: Fired, values: ValueList) -> str | None:
    """An order may name for whom; a bare habit or "no X ever" belongs to the nearest person."""
    kind = fired.rule.kind
    start, end = min(fired.start, values.start), max(fired.end, values.end)
    if kind == "habit" and message.ends_with(fired.start, "firm"):
        return "other_subject"
    pronoun = message.find_in("pronoun", fired.end, min(fired.end + PRONOUN_REACH, message.segment(fired.end - 1)[1]))
    first = pronoun.end if pronoun is not None else fired.end
    near = min(first + 2, message.segment(fired.end - 1)[1])
    if kind == "explicit" and _person_in(message, first, max(values.start, near)):
        return "other_subject"
    if kind in ("explicit", *KEPT) and (_is_for_another(message, fired, end) or _is_ordered_for(message, fired)):
        return "other_subject"
    if kind == "explicit" and _is_sent_to(message, values):
        return "other_subject"
    if kind in ("explicit", *KEPT) and _has_receiver(message, start, end):
        return "other_subject"
    is_ones_own = message.tokens[fired.start].text in message.grammar.ones_own_bans
    if (is_ones_own or kind in ("lasting", "habit_bare", "headed")) and find_subject(message, start, end) == "other":
        return "other_subject"
    return None


def _is_sent_to(message: Message, values: ValueList) -> bool:
    """Don't suggest zara to tourists: the one right behind the values is nobody whom the vocabulary knows."""
    place = values.end + 1
    if place >= len(message.tokens) or message.tokens[values.end].text not in message.grammar.offered_to:
        return False
    return is_strange(message, place) or message.at(place, "other") is not None


def _has_receiver(message: Message, start: int, end: int) -> bool:
    """Ей пайетки не подсовывай, everything you send her: a third person is shown it, and not the writer."""
    segment = message.segment(start)[0], message.segment(end - 1)[1]
    return message.has_uncovered_in("receiver", ("filler",), *segment) and not message.has_in("self", *segment)


def _is_ordered_for(message: Message, fired: Fired) -> bool:
    """Дочке не предлагайте мини: the one who is spared stands before the order."""
    first = message.segment(fired.start)[0]
    people = [m for m in message.list_in("relation", first, fired.start) if m.start not in message.consumed]
    if not people or message.tokens[people[-1].start].script != "cyrillic":
        return False
    return not message.has_in("self", people[-1].end, fired.end)


def _is_for_another(message: Message, fired: Fired, end: int) -> bool:
    """Don't show fur to my sister, не предлагай мех сестре; "it's giving aunty" names nobody that is shown anything."""
    last, grammar = message.segment(end - 1)[1], message.grammar
    last = next((i for i in range(end + 1, last) if message.tokens[i].text in grammar.goes_on), last)
    for person in message.list_in("relation", fired.end, last):
        if message.is_covered(person, ("brand",)):
            continue  # the "mother" in اتش اند ام
        is_named = person.start < end or message.tokens[person.start].script != "latin"
        if is_named or any(token.text in grammar.person_links for token in message.tokens[end : person.start]):
            return True  # "my husband hates it" only goes on
    return False


def _person_in(message: Message, start: int, end: int) -> bool:
    people = [m for c in ("relation", "other") for m in message.list_in(c, start, end)]
    return any(m.start not in message.consumed and not message.is_covered(m, ANY) for m in people)  # "baby pink"


def _is_excepted(message: Message, end: int) -> bool:
    """An exception that opens the next segment: never leather, except shoes."""
    after = message.segment_of[end - 1] + 1
    if after >= len(message.segments):
        return False
    start, stop = message.segments[after]
    return stop <= message.clause(end - 1)[1] and message.has_in("exception", start, min(stop, start + 2))


def is_scoped(message: Message, start: int, end: int) -> bool:
    """A day, place or occasion in the segments of the ban, or alone in a short one beside it."""
    first, last = message.segment(start)[0], message.segment(end - 1)[1]
    scopes = [m for m in message.list_in("scope", first, last) if message.at(m.start, "kept_out") is None]
    scopes = [m for m in scopes if not _is_even(message, m.start)]
    if any(not message.is_covered(m, ("dislike", "lasting")) for m in scopes) or message.has_in("weekday", first, last):
        return True
    if _has_occasion(message, end, last) or _has_occasion(message, first, start):
        return True
    clause_start, clause_end = message.clause(start)
    for number in (message.segment_of[start] - 1, message.segment_of[end - 1] + 1):
        if 0 <= number < len(message.segments):
            a, b = message.segments[number]
            if (
                clause_start <= a
                and b <= clause_end
                and b - a <= SHORT_SEGMENT
                and any(not _is_even(message, m.start) for m in message.list_in("scope", a, min(a + 2, b)))
                and not _tells_of_others(message, a, b)
            ):
                return True
    return False


def _is_even(message: Message, index: int) -> bool:
    """Not even in summer: the day or place right behind limits nothing."""
    return index > 0 and message.tokens[index - 1].text in message.grammar.even_words


def _tells_of_others(message: Message, start: int, end: int) -> bool:
    """Nobody cooks at home, the kids are home: somebody else and a deed of theirs."""
    is_others = any(message.has_in(name, start, end) for name in ("relation", "other"))
    return is_others and any(message.unnamed[start:end])


def _has_occasion(message: Message, start: int, end: int) -> bool:
    """To my sister's wedding, on first dates: a small word of place or time and, close behind, an occasion."""
    for leading in message.list_in("scope_opener", start, end):
        if _is_even(message, leading.start):
            continue
        for category in ("occasion", "event", "month"):
            if message.has_in(category, leading.end, min(end, leading.end + OCCASION_REACH)):
                return True
    return False
