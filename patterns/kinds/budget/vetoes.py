"""Reasons why an amount is not the writer's budget: a price, a count, somebody else's money, a minimum."""

from __future__ import annotations

from patterns.kinds.budget.amounts import Amount
from patterns.kinds.budget.money_changes import leads_former
from patterns.kinds.budget.money_context import find_context_veto, is_included, opens_anew
from patterns.kinds.budget.money_words import is_age
from patterns.kinds.budget.purposes import is_added, is_for_clothes, is_for_one, is_of_garment, is_priced
from patterns.statements.unknown import has_vocabulary, is_nobodys
from patterns.statements.vetoes import find_statement_veto, is_negated
from patterns.steps.draft import Fired
from patterns.steps.message import Message

BEFORE_ALONE = ("approximately", "limit_word", "filler", "self", "greeting", "oath", "naming", "budget_word")
LEAST_PRICE = 100


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
        "lasting", "size_filler", "thing", "polite", "spending", "instead", "clause_link",
    )  # fmt: skip
    return not any(message.at(amount.end, category) for category in tied)


def find_budget_veto(message: Message, fired: Fired, amount: Amount, start: int, end: int) -> str | None:
    """Why an amount in tokens [start, end) is no budget of the writer; None when nothing speaks against it."""
    own = _list_own(message, fired, amount)
    veto = find_statement_veto(message, fired.start, fired.end, exposures=own)
    veto = veto or find_statement_veto(message, start, end, exposures=own)
    if veto is not None and not (veto == "past" and amount.is_present):
        return veto
    first, last = message.segment(start)[0], message.segment(end - 1)[1]
    if opens_anew(message, fired):
        first = fired.start
    return (
        find_context_veto(message, fired, amount, start, end)
        or _find_least_veto(message, fired, amount, first)
        or _find_price_veto(message, fired, amount, (first, last))
        or _find_denial_veto(message, fired, amount, first)
        or _find_count_veto(message, fired, amount, (first, last))
    )


def _list_own(message: Message, fired: Fired, amount: Amount) -> tuple[int, ...]:
    """The words of condition and wish that say how it is stated: "I'd rather", "не хотелось бы"."""
    own = [m.start for name in ("conditional", "wish") for m in message.list_in(name, fired.start, fired.end)]
    supposed = message.list_in("conditional", fired.end, amount.start)
    own += [m.start for m in supposed if message.at(m.start, "approximately") is not None]  # "бюджет, скажем, 900"
    if fired.rule.kind == "word":  # "my budget would be 500"
        own += [m.start for m in message.list_in("conditional", fired.end, fired.end + 1)]
        own += [m.start for m in message.list_in("conditional", amount.end, amount.end + 1)]  # "400 would do"
    return tuple(own)


def _find_least_veto(message: Message, fired: Fired, amount: Amount, first: int) -> str | None:
    """A least amount, or one that comes on top."""
    greatest = ("maximum", "change_from", "now", "limit_word")
    is_least = any(
        not message.is_covered(least, greatest) and not leads_former(message, least.start)
        for least in message.list_in("minimum", first, amount.end + 1)
    )
    if fired.rule.kind == "word" and not amount.high and is_least:
        return "minimum"
    if is_added(message, amount):
        return "request"
    return "minimum" if _is_least(message, fired, amount) else None


def _find_price_veto(message: Message, fired: Fired, amount: Amount, segment: tuple[int, int]) -> str | None:
    """A price, or a bare limit that is nobody's."""
    kind = fired.rule.kind
    is_bare = message.tokens[fired.start].text in message.grammar.bare_limits
    start, end = min(fired.start, amount.start), max(fired.end, amount.end)
    if kind == "limit" and is_bare and has_vocabulary(fired.rule) and is_nobodys(message, start, end):
        return "not_understood"
    if kind == "word" and is_of_garment(message, fired, amount):
        return "price"
    if kind in ("limit", "open") and is_for_one(message, amount):
        return "one_item"
    if kind in ("word", "have") and _is_price(message, *segment, end):
        return "price"
    is_behind = kind == "word" and amount.end <= fired.start
    if is_behind and (is_priced(message, amount, fired) or _is_compared(message, fired)):
        return "price"  # "500 over my budget"
    return None


def _find_denial_veto(message: Message, fired: Fired, amount: Amount, first: int) -> str | None:
    """An amount that is turned down or that there is not."""
    if fired.rule.kind == "limit" and _turns_down(message, fired, amount):
        return "negated"
    if is_negated(message, amount.start, reach=1) and fired.rule.kind != "open":
        return "negated"
    is_named = fired.rule.kind == "word" and message.at(fired.start - 1, "retraction") is None  # "no my budget is 500"
    if is_named and is_negated(message, fired.start, reach=1):
        return "negated"  # "ليست ميزانيتي 500"
    owned = message.at(amount.start - 1, "self") if amount.start > first else None
    if fired.rule.kind in ("have", "limit") and owned is not None and is_negated(message, owned.start, reach=1):
        return "negated"  # "ما عندي ٥٠٠ درهم"
    return None


def _find_count_veto(message: Message, fired: Fired, amount: Amount, segment: tuple[int, int]) -> str | None:
    """A number that counts something else than money, or a limit that nothing refuses to pass."""
    kind = fired.rule.kind
    has_currency = message.has_in("currency", amount.start, amount.end + 1)
    if kind == "have" and not has_currency and not is_for_clothes(message, amount):
        return "no_currency"
    if amount.low < LEAST_PRICE and not has_currency and message.at(amount.end, "garment_word"):
        return "not_money"  # "all I have is 30 dresses"
    is_counted = kind == "have" or (kind != "word" and not has_currency)
    if is_counted and _counts(message, fired, amount) and not is_for_clothes(message, amount):
        return "not_money"
    if kind == "limit" and not has_currency and is_age(message, amount):
        return "not_money"
    if kind == "alone" and not message.has_only(BEFORE_ALONE, segment[0], amount.start):
        return "not_money"
    if kind == "open" and not _is_refused(message, amount.end, segment[1]):
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
    below = message.grammar.below
    return any(token.text in below for token in message.tokens[fired.end : amount.start])


def _is_compared(message: Message, fired: Fired) -> bool:
    """500 over my budget: the word stands right before it, with no more than a "my" between."""
    own = [m.start for m in message.ends[fired.start] if m.category == "self"]
    return any(m.category == "beyond" for place in (fired.start, *own) for m in message.ends[place])


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
    if amount.start != fired.end or message.tokens[fired.end - 1].text not in message.grammar.paying:
        return False
    return message.has_in("negator", max(message.clause(fired.start)[0], fired.start - 1), fired.end)


def _is_price(message: Message, first: int, last: int, end: int) -> bool:
    """A word of buying in the segment that is no part of "price range" and nothing that the amount covers besides."""
    prices = [m for m in message.list_in("price", first, last) if not message.is_covered(m, ("budget_word",))]
    is_priced = any(price.start < end or not is_included(message, end, price.start) for price in prices)
    return is_priced or message.has_in("spent", first, last)
