"""Lists on amounts, limits and what they are for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from patterns.grammar.kinds import Affixes, Words


@dataclass(frozen=True, kw_only=True)
class MoneyLists:
    """Lists on amounts, limits and what they are for."""

    # numbers
    glued_thousands: Annotated[Words, "“budget 2k”: letters written onto digits that make them thousands"]
    two_follow: Annotated[Words, "“between five and seven hundred”: behind these, two numbers follow and not one"]
    to_letters: Annotated[Affixes, "“من خمسمية لألف”: letters of a “to” on the number that a range goes up to"]
    # amounts
    counted_things: Annotated[Words, "“under 30 options”: behind a number, what is counted and no money"]
    money_or_became: Annotated[Words, "“budget sar nos alf”: currencies that also say “has become” in Arabizi"]
    counts_nothing: Annotated[Words, "“my budget for this one is 500”: number words that may count nothing"]
    aged: Annotated[Words, "“мне 50”: right before a number without currency, the one who is so many years old"]
    # what an amount is for
    for_what: Annotated[Words, "“500 for clothes”, “300 for this bag”: words before what the money is for"]
    budget_for: Annotated[Words, "“budget for curtains: 900”: words between a budget and what it is for"]
    toward_clothes: Annotated[Words, "“7addi lel 3abaya 650”: words before the clothes that a limit is for"]
    for_the_letters: Annotated[Affixes, "“حدي للشنطة ٤٠٠”: letters on the clothes that a limit is for"]
    for_this_letters: Annotated[Affixes, "“٣٠٠ لهالشنطة”: letters on the one thing that an amount is for"]
    before_clothes: Annotated[Words, "“limit for any dress 400”: words between “for” and the clothes"]
    like_what: Annotated[Words, "“500 for new clothes”: words that say what the clothes are like"]
    left_over: Annotated[Words, "“I have 500 left for clothes”: words between the amount and what it is for"]
    this_thing: Annotated[Words, "“300 for this bag”: words that point at the one thing that is paid for"]
    paid_for: Annotated[Words, "“500 for this”: words before what is paid for; “on this” may be all that is bought"]
    on_it: Annotated[Words, "“٣٠٠ عليها”: words that say in one that the amount is for the thing spoken of"]
    for_event: Annotated[Words, "“wedding guest dress”: words between an event and the clothes for it"]
    goes_with: Annotated[Words, "“for the hotel my budget is 5000”: words between an amount and what or whom it is for"]
    # the budget
    what_i_can: Annotated[Words, "“500، هذا حدي”: words that begin a limit and point back to the amount"]
    no_more: Annotated[Words, "“800, больше не осилю”: words that begin to say that there is no more than that"]
    bare_limits: Annotated[Words, "“under 300”: limits that do not say whose they are"]
    below: Annotated[Words, "“I can't go below 500”: behind a “not”, words of a least amount"]
    greatest: Annotated[Words, "“budget min 300 max 600”: words before the greatest amount, where the least is named"]
    paying: Annotated[Words, "“не могу отдать 500”: verbs of paying; with a “not” before, that price is turned down"]
    # what has changed
    changed_from: Annotated[Words, "“I upped my budget from 600 to 900”: words before what it was"]
    changed_to: Annotated[Words, "“was 700, cut to 550”, “опустился до 800”: words before what it has become"]
    changed_endings: Annotated[Affixes, "“бюджет опустился до 800”: endings of Russian verbs of what has become of it"]
    raised_by: Annotated[Words, "“raise my budget by 200”: words before what comes on top"]
    added_to: Annotated[Words, "“add 200 to my budget”: words before what something is added to"]
