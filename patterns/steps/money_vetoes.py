"""Why an amount is no budget of the writer: a price, a count, another one's money, a least amount (GUIDE budget)."""

from __future__ import annotations

from patterns.steps.amounts import Amount
from patterns.steps.draft import Fired
from patterns.steps.message import Message
from patterns.steps.money_changes import leads_former
from patterns.steps.money_words import is_age
from patterns.steps.persons import find_subject
from patterns.steps.purposes import is_added, is_for_clothes, is_for_thing, is_of_garment, is_priced, names_clothes
from patterns.steps.strangers import is_of_named, names_thing_before
from patterns.steps.unknown import has_vocabulary, is_nobodys
from patterns.steps.vetoes import find_statement_veto, is_negated

MAX_LEAD = 5
BEFORE_ALONE = ("approximately", "limit_word", "filler", "self", "greeting", "oath", "naming", "budget_word")
_PAYING = frozenset(
    (
        "отдать",
        "отдавать",
        "заплатить",
        "платить",
        "тратить",
        "потратить",
        "выложить",
        "ادفع",
        "اصرف",
        "adfa3",
        "asrif",
        "هدفع",
        "هصرف",
        "بدفع",
        "بصرف",
        "حدفع",
        "badfa3",
        "bedfa3",
        "hadfa3",
        "edfa3",
        "a9rif",
        "basrof",
    )
)
LEAST_PRICE = 100
_FOR_WHOM = frozenset(("for", "on", "to", "with", "from", "на", "для", "с"))
_BELOW = frozenset(("below", "under", "less", "lower", "beneath"))
_BARE_LIMITS = frozenset(("max", "maximum", "limit", "to", "up", "under", "top", "tops"))


def _counts(message: Message, fired: Fired, amount: Amount) -> bool:
    """An amount in front of a noun counts that noun: 500 followers, 500 dirhams of debt."""
    if amount.end >= len(message.tokens) or amount.end == fired.start:
        return False
    if _is_compounded(message, amount.end):
        return True
    if message.tokens[amount.end].kind != "word":
        return False
    tied = (
        "approximately", "limit_word", "conj", "contrast", "filler", "self", "oath", "laugh", "now", "please",
        "decoy", "order_tag", "affirmation", "greeting", "budget_word", "spend_refusal", "garment_word", "half",
        "lasting", "size_filler", "thing", "polite", "spending", "instead",
    )  # fmt: skip
    return not any(message.at(amount.end, category) for category in tied)


def find_budget_veto(message: Message, fired: Fired, amount: Amount, start: int, end: int) -> str | None:
    """Why an amount in tokens [start, end) is no budget of the writer; None when nothing speaks against it."""
    own = tuple(
        m.start for name in ("conditional", "wish") for m in message.list_in(name, fired.start, fired.end)
    )  # "I'd rather", "не хотелось бы", "don't want to be spending"
    supposed = message.list_in("conditional", fired.end, amount.start)
    own += tuple(m.start for m in supposed if message.at(m.start, "approximately") is not None)  # "бюджет, скажем, 900"
    if fired.rule.kind == "word":  # "my budget would be 500"
        own += tuple(m.start for m in message.list_in("conditional", fired.end, fired.end + 1))
        own += tuple(m.start for m in message.list_in("conditional", amount.end, amount.end + 1))  # "400 would do"
    veto = find_statement_veto(message, fired.start, fired.end, exposures=own)
    veto = veto or find_statement_veto(message, start, end, exposures=own)
    if veto is not None and not (veto == "past" and amount.is_present):
        return veto
    first, last = message.segment(start)[0], message.segment(end - 1)[1]
    lead = max(first, start - MAX_LEAD)
    if _opens_anew(message, fired):
        first = lead = fired.start
    if message.has_uncovered_in("budget_other", ("limit_word", "decoy"), lead, last):
        return "budget_of_something_else"
    events = [m for c in ("event", "work_party") for m in message.list_in(c, first, last)]
    if message.has_in("gift", *message.clause(start)) and not message.has_in("self", first, last):
        return "budget_of_something_else"
    if fired.rule.kind == "word" and any(
        m.start not in message.consumed and not names_clothes(message, m) for m in events
    ):
        return "budget_of_something_else"
    if not _says_whose(message, fired, amount) and (
        find_subject(message, start, end) == "other" or _person_in(message, start, last)
    ):
        return "other_subject"
    is_anothers = fired.rule.kind == "word" and is_of_named(message, fired.start)
    if is_anothers or names_thing_before(message, start) or _is_called_another_ones(message, end):
        return "other_subject"
    greatest = ("maximum", "change_from", "now", "limit_word")
    is_least = any(
        not message.is_covered(least, greatest) and not leads_former(message, least.start)
        for least in message.list_in("minimum", first, amount.end + 1)
    )
    if fired.rule.kind == "word" and not amount.high and is_least:
        return "minimum"
    if is_added(message, amount):
        return "request"
    if _is_least(message, fired, amount):
        return "minimum"
    if fired.rule.kind == "word" and is_for_thing(message, fired, amount):
        return "budget_of_something_else"
    is_bare = message.tokens[fired.start].text in _BARE_LIMITS
    if fired.rule.kind == "limit" and is_bare and has_vocabulary(fired.rule) and is_nobodys(message, start, end):
        return "not_understood"
    if fired.rule.kind == "word" and is_of_garment(message, fired, amount):
        return "price"
    if fired.rule.kind == "word" and amount.end <= fired.start and is_priced(message, amount, fired):
        return "price"
    if fired.rule.kind in ("word", "have") and _is_price(message, first, last):
        return "price"
    if fired.rule.kind == "word" and amount.end <= fired.start and _is_compared(message, fired):
        return "price"  # "500 over my budget"
    if fired.rule.kind == "limit" and _turns_down(message, fired, amount):
        return "negated"
    if is_negated(message, amount.start, reach=1) and fired.rule.kind != "open":
        return "negated"
    owned = message.at(amount.start - 1, "self") if amount.start > first else None
    if fired.rule.kind in ("have", "limit") and owned is not None and is_negated(message, owned.start, reach=1):
        return "negated"  # "ما عندي ٥٠٠ درهم"
    has_currency = message.has_in("currency", amount.start, amount.end + 1)
    if fired.rule.kind == "have" and not has_currency and not is_for_clothes(message, amount):
        return "no_currency"
    if amount.low < LEAST_PRICE and not has_currency and message.at(amount.end, "garment_word"):
        return "not_money"  # "all I have is 30 dresses"
    is_counted = fired.rule.kind == "have" or (fired.rule.kind != "word" and not has_currency)
    if is_counted and _counts(message, fired, amount) and not is_for_clothes(message, amount):
        return "not_money"
    if fired.rule.kind == "limit" and not has_currency and is_age(message, amount):
        return "not_money"
    if fired.rule.kind == "alone" and not message.has_only(BEFORE_ALONE, first, amount.start):
        return "not_money"
    if fired.rule.kind == "open" and not _is_refused(message, amount.end, last):
        return "no_refusal"
    return None


def _is_compounded(message: Message, index: int) -> bool:
    """1000-thread-count cotton: a noun is tied to the figure with a dash."""
    if index + 1 >= len(message.tokens) or message.tokens[index].text != "-":
        return False
    dash, noun = message.tokens[index], message.tokens[index + 1]
    is_tight = message.tokens[index - 1].end == dash.start and dash.end == noun.start
    return is_tight and noun.kind == "word" and not message.starts[index + 1]


def _is_least(message: Message, fired: Fired, amount: Amount) -> bool:
    """I can't go below 500: what may not be gone below is no limit to pay."""
    if fired.rule.kind != "limit" or not message.has_in("negator", fired.start, fired.end):
        return False
    return any(token.text in _BELOW for token in message.tokens[fired.end : amount.start])


def _is_compared(message: Message, fired: Fired) -> bool:
    """500 over my budget: the word stands right before it, with no more than a "my" between."""
    own = [m.start for m in message.ends[fired.start] if m.category == "self"]
    return any(m.category == "beyond" for place in (fired.start, *own) for m in message.ends[place])


def _says_whose(message: Message, fired: Fired, amount: Amount) -> bool:
    """I cannot spend more than 80 my mum will kill me: an "I" pays, and what follows is a statement of its own.

    With four kids anything past 300 is out of the question for me: the refusal says whose it is.
    """
    if fired.rule.kind == "open":
        last = message.segment(amount.end - 1)[1]
        return message.has_in("self", amount.end, last) and not _person_in(message, fired.start, last)
    if fired.rule.kind != "limit" or not message.has_in("self", fired.start, fired.end):
        return False
    if amount.end <= fired.start:  # "my husband said so, 700 is my max"
        return not _person_in(message, message.segment(amount.start)[0], message.segment(fired.end - 1)[1])
    if amount.start < fired.end:
        return False
    if _person_in(message, fired.start, amount.end) or amount.end >= len(message.tokens):
        return False
    last = message.segment(amount.end - 1)[1]
    owned = message.find_in("self", amount.end, last)
    is_tied = any(message.tokens[i].text in _FOR_WHOM for i in range(amount.end, last))
    return not is_tied and owned is not None and owned.start <= amount.end + 2


def _opens_anew(message: Message, fired: Fired) -> bool:
    """عيد ميلاد أمي الأحد وميزانيتي ٤٥٠, и мой бюджет 450: a "my" behind an "and" begins another statement."""
    owned = [m for m in message.ends[fired.start] if m.category == "self"]
    start = min((m.start for m in owned), default=fired.start)
    token = message.tokens[start]
    is_joined = (token.script == "arabic" and token.text.startswith("و")) or message.ends_with(start, "conj")
    return is_joined and message.has_in("self", start, fired.end)


def _is_refused(message: Message, start: int, last: int) -> bool:
    """Дороже 800 не беру / всё, что дороже 800, не для меня: at once, or at the head of the next segment."""
    if message.has_in("spend_refusal", start, last):
        return True
    if last - start > 1 or last >= message.clause(start - 1)[1]:
        return False
    refusal = message.at(last, "spend_refusal")
    small = ("oath", "laugh", "filler", "please")
    return refusal is not None and message.has_only(small, refusal.end, message.segment(last)[1])


def _turns_down(message: Message, fired: Fired, amount: Amount) -> bool:
    """Не могу отдать 500 за носки: a "not" and the verb right before the amount turn down that price."""
    if amount.start != fired.end or message.tokens[fired.end - 1].text not in _PAYING:
        return False
    return message.has_in("negator", max(message.clause(fired.start)[0], fired.start - 1), fired.end)


def _is_called_another_ones(message: Message, end: int) -> bool:
    """750, that's her budget: whose it is stands right before the next word for it, with no amount between."""
    last = message.clause(end - 1)[1]
    names = [m for name in ("budget_word", "limit_word") for m in message.list_in(name, end, last)]
    return any(
        other.category in ("relation", "other") and other.start not in message.consumed
        for name in names
        for other in message.ends[name.start]
        if not any(message.tokens[i].kind == "number" for i in range(end, name.start))
    )


def _is_price(message: Message, first: int, last: int) -> bool:
    """A word of buying in the segment that is no part of "price range"."""
    return message.has_uncovered_in("price", ("budget_word",), first, last) or message.has_in("spent", first, last)


def _person_in(message: Message, start: int, end: int) -> bool:
    people = [m for c in ("relation", "other") for m in message.list_in(c, start, end)]
    return any(m.start not in message.consumed for m in people)
