"""Why a reply changes nothing, for people. Codes are those of `Detection.reasons`; groups those of the phrases."""

from __future__ import annotations

from typing import Final

REASONS: Final = {
    "nothing_asserted": "the turn before says nothing about a stored fact",
    "not_asserted": "the turn before does not speak of this fact",
    "another_event": "it is about another event than the stored one",
    "other_subject": "it speaks of somebody else",
    "not_denied": "nothing in it denies what was said",
    "not_stated": "it supposes or asks why, it states nothing",
    "not_a_new_value": "the value is no new value of this fact",
    "question": "it asks",
    "request": "it asks for something to be shown",
    "offer_declined": "it answers the offer, not the fact",
    "item_rejected": "it turns down one item",
    "price_of_an_item": "the amount is the price of an item",
    "said_again": "it says the stored value again",
    "something_else_is_said": "more is said than a no, so the no may mean that",
    "past": "it tells of something that is over",
    "scoped": "it holds for one occasion",
}

GROUPS: Final = {
    "denial": "says no: plain; short, a no only when it stands alone; echo, “I am not”; firm, “that is wrong”",
    "challenge": "where did you get that; I never said that; you mean somebody else",
    "cited": "names memory as the source: “your notes say …”",
    "affirm": "yes; exact, it is just as the turn before says",
    "stands": "it is so, whatever came before; idiom: looks like it and is none",
    "ended": "was so once, is so no longer",
    "over": "called off, or already past; attend, the user does not go",
    "lifted": "a budget that holds no longer, named as a whole: “no budget limit”",
    "moved": "has another date",
    "recent": "now; again",
    "make_it": "a new value is on its way: “make it …”",
    "allow": "a ban or an allergy is lifted",
    "topic": "names a kind of fact: “my size”",
    "negation": "not",
    "ban_word": "no …, without …; least, not the smallest part of …",
    "stock": "what a shop has or lacks: “is not available”",
    "only": "only, except",
    "but": "but, and not",
    "self": "I, me, my",
    "own": "says what the user’s own is",
    "not_me": "not about me",
    "other_person": "somebody else",
    "pointer": "that one, those words: points at what was said",
    "it": "it, them",
    "idiom": "holds a no and denies nothing: “no problem”",
    "polite": "no, thanks",
    "reject": "turns down an item",
    "praise": "likes an item",
    "offer": "the turn before offers something",
    "doubt": "the turn before asks whether it is wrong",
    "taste": "the turn before praises a thing, it bans none",
    "shut": "the turn before says that a thing is left out",
    "priced": "an amount that is a price",
    "limit": "an amount that is a limit",
    "worn": "wear, wearing",
    "unreal": "supposes, would be",
    "question": "begins a question",
    "request": "asks for something to be shown",
    "why": "why",
    "also": "too, as well",
    "you": "the person spoken to: the turn before says something of the user",
    "hush": "fillers: beside them a no is still bare",
    "different": "is another one, has changed",
    "unit": "units of height and weight, as phrases",
    "your_event": "the event of the person spoken to, in one word",
    "your_person": "a relation of the person spoken to, in one word",
    "your_thing": "a thing of the person spoken to, in one word",
}


def explain_reason(code: str) -> str:
    """A code in words; the code itself where it has none."""
    return REASONS.get(code, code.replace("_", " "))
