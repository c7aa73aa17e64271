"""Reads budgets. Runs before the bans and takes words from them."""

from __future__ import annotations

from dataclasses import replace

from patterns.kinds.budget.amounts import Amount, read_amount
from patterns.kinds.budget.money_alone import find_alone_behind
from patterns.kinds.budget.money_changes import find_present, read_arrow, read_bounds, skip_former
from patterns.kinds.budget.money_words import (
    find_named_before,
    opens_range_before,
    says_no_more,
    skip_replaced,
    step_change,
)
from patterns.kinds.budget.purposes import (
    skip_purpose,
)
from patterns.kinds.budget.vetoes import BEFORE_ALONE, find_budget_veto
from patterns.statements.mended import find_mended
from patterns.statements.vetoes import is_negated, is_past
from patterns.steps.asides import find_aside_end
from patterns.steps.draft import Draft, Findings, Fired
from patterns.steps.message import Message

REACH = 9
MAX_LEAD = 5
_BEHIND_APART = ("limit_word", "approximately", "oath", "please", "naming", "laugh")
NOT_MONEY = ("no_currency", "not_money", "no_refusal")  # such a number may still be a size


def read_budget(message: Message, fired: list[Fired], findings: Findings) -> None:
    """The budget that a budget word or a first-person limit states."""
    for trigger in fired:
        amount = _find_amount(message, trigger)
        if amount is None or _is_outdated(message, trigger, amount):
            present = find_present(message, trigger)
            amount = replace(present, is_present=True) if present is not None else amount
        if amount is None:
            findings.refuse(trigger, "no_amount")
            continue
        amount = _mend(message, amount)
        start, end = min(trigger.start, amount.start), max(trigger.end, amount.end)
        reason = find_budget_veto(message, trigger, amount, start, end)
        if reason not in NOT_MONEY:
            findings.taken.update(range(start, end))
        if reason is not None:
            findings.refuse(trigger, reason)
            continue
        findings.drafts.append(Draft("budget", "general", amount.value, start, end, trigger.rule))


def _mend(message: Message, amount: Amount) -> Amount:
    """Budget 1000, no wait, 1200."""
    place = find_mended(message, amount.end)
    right = read_amount(message, place, message.clause(place)[1]) if place is not None else None
    return replace(right, start=amount.start) if right is not None else amount


def _find_amount(message: Message, fired: Fired) -> Amount | None:
    after = _find_after(message, fired)
    if after is not None or fired.rule.object_side == "after":
        return after
    return _find_before(message, fired) or find_alone_behind(message, fired)


def _is_outdated(message: Message, fired: Fired, amount: Amount) -> bool:
    return fired.rule.kind == "word" and is_past(message, min(fired.start, amount.start), max(fired.end, amount.end))


def _find_after(message: Message, fired: Fired) -> Amount | None:
    _, last = message.clause(fired.start)
    index = fired.end
    for _ in range(REACH):
        if index >= last:
            return None
        index = skip_replaced(message, skip_former(message, index, last), last)
        if index >= len(message.tokens):
            return None
        amount = read_amount(message, index, last)
        aside = find_aside_end(message, index, last)
        if amount is None and aside is not None:
            index = aside
            continue
        if amount is not None and is_negated(message, amount.start, reach=1):
            return _read_corrected(message, amount, last)
        if amount is not None:
            return read_arrow(message, amount, last) or read_bounds(message, amount, last) or amount
        denial = message.at(index, "denial_word")
        step = skip_purpose(message, index) or _step_over(message, index) or step_change(message, index)
        step = step or (denial.end if denial is not None else None)
        if step is None:
            return _find_behind_colon(message, fired, index) or _find_apart(message, fired, index)
        index = step
    return None


def _find_behind_colon(message: Message, fired: Fired, start: int) -> Amount | None:
    """Бюджет студенческий: 200. What stands before the colon describes the budget."""
    last = message.clause(fired.start)[1]
    for index in range(start, min(last - 1, start + REACH)):
        if message.tokens[index].text == ":":
            place = skip_replaced(message, index + 1, last)
            place += place > index + 1 and place < last and message.tokens[place].text in "-,"
            return read_amount(message, place, last) if fired.rule.kind == "word" else None
        if any(message.at(index, name) for name in ("budget_other", "price", "relation", "other", "number")):
            break
    return None


def _find_apart(message: Message, fired: Fired, start: int) -> Amount | None:
    """Бюджет, который я себе поставила, — 1 400; my budget they gave me is 500: the first amount behind it."""
    last = message.clause(fired.start)[1]
    if fired.rule.kind != "word":
        return None
    clothes = message.at(start, "garment_word")  # "bajt el fustan 400"
    is_of_clothes = clothes is not None and clothes.language in ("ar", "arabizi")
    if not is_of_clothes and not message.has_in("self", message.segment(fired.start)[0], start + 3):
        return None
    stops = (
        "budget_other",
        "price",
        "spent",
        "relation",
        "other",
        "number",
        "size_word",
        "measure_word",
        "shoe",
        "negator",
    )
    for index in range(start, min(last, start + REACH)):
        amount = read_amount(message, index, last)
        if amount is not None:
            has_currency = message.has_in("currency", amount.start, amount.end + 1)
            end = message.segment(amount.end - 1)[1]
            is_closed = end - amount.end <= 1 or message.has_only(_BEHIND_APART, amount.end, end)
            return amount if has_currency or is_closed else None
        token = message.tokens[index]
        is_stop = token.kind == "number" or any(message.at(index, name) for name in stops)
        if is_stop and token.text not in message.grammar.counts_nothing:
            return None
    return None


def _read_corrected(message: Message, denied: Amount, last: int) -> Amount | None:
    """Not 500 but 800, it isn't 500, it's 800: the amount that follows the denied one."""
    index = denied.end
    for _ in range(MAX_LEAD):
        if index >= last:
            return None
        amount = read_amount(message, index, last)
        if amount is not None:
            return amount
        contrast = message.at(index, "contrast")
        step = contrast.end if contrast is not None else _step_over(message, index)
        if step is None:
            return None
        index = step
    return None


def _step_over(message: Message, index: int) -> int | None:
    best = index
    for category in (
        "approximately",
        "filler",
        "currency",
        "budget_word",
        "now",
        "limit_word",
        "size_filler",
        "oath",
        "half",
        "naming",
        "please",
        "decoy",
    ):
        match = message.at(index, category)
        if match is not None:
            best = max(best, match.end)
    if best > index:
        return best
    token = message.tokens[index]
    is_adverb = token.script == "latin" and len(token.text) > 4 and token.text.endswith(message.grammar.manner_endings)
    return index + 1 if is_adverb or token.text in ":-=~,()→➡.*>≈±<≤≦/" else None


def _find_before(message: Message, fired: Fired) -> Amount | None:
    first, _ = message.clause(fired.start)
    for start in range(max(first, fired.start - 12), fired.start):
        amount = read_amount(message, start, fired.start)
        if amount is None or (start > first and read_amount(message, start - 1, fired.start)):
            continue
        if opens_range_before(message, start):
            continue
        if any(m.category == "measure_word" for m in message.ends[start]):
            continue  # "вес 52 бюджет 150"
        index = amount.end
        is_crossed = False  # "the delivery is 500, I won't pay more": behind a comma the amount stands alone
        while index < fired.start:
            is_crossed = is_crossed or message.tokens[index].text == ","
            step = _step_over(message, index)
            is_comma = message.tokens[index].text == ","
            if step is None or (is_comma and not _may_cross(message, fired, amount, index + 1)):
                break
            index = step
        if index >= fired.start and (not is_crossed or _is_mine(message, fired) or _stands_alone(message, amount)):
            return amount
    return find_named_before(message, fired) or _find_alone_before(message, fired)


def _may_cross(message: Message, fired: Fired, amount: Amount, start: int) -> bool:
    """Whether what stands behind a comma says what the amount before it is."""
    if says_no_more(message, fired.start) and _stands_alone(message, amount):
        return True
    return _names_amount(message, fired, start)


def _is_mine(message: Message, fired: Fired) -> bool:
    """My limit, мой потолок: the trigger says whose it is."""
    is_this = message.tokens[fired.start].text in message.grammar.what_i_can  # "this is what I can"
    return is_this or fired.rule.kind == "word" or message.has_in("self", fired.start, fired.end)


def _stands_alone(message: Message, amount: Amount) -> bool:
    return message.has_only(BEFORE_ALONE, message.segment(amount.start)[0], amount.start)


def _find_alone_before(message: Message, fired: Fired) -> Amount | None:
    """450. That's my budget: the clause before says nothing but the amount."""
    number, first = message.clause_of[fired.start], message.clause(fired.start)[0]
    small = ("naming", "self", "filler", "oath", "conj", "limit_word")
    if fired.rule.kind not in ("word", "limit") or not number or not message.has_only(small, first, fired.start):
        return None
    start, end = message.normal.clauses[number - 1]
    amount = read_amount(message, start, end)
    is_closed = amount is not None and message.has_only(BEFORE_ALONE, amount.end, end)
    return amount if is_closed and message.tokens[end - 1].text != "?" else None


def _names_amount(message: Message, fired: Fired, start: int) -> bool:
    """ "1000 max, that's my budget": the segment of the budget word says nothing but that."""
    small = (
        "naming", "filler", "self", "approximately", "limit_word", "please", "laugh", "oath", "decoy", "order_tag",
        "lasting", "conj", "spending", "garment_word", "half",
    )  # fmt: skip
    last = message.segment(fired.end - 1)[1]
    return (
        fired.rule.kind in ("word", "limit")
        and message.has_only(small, start, fired.start)
        and message.has_only(small, fired.end, last)
    )
