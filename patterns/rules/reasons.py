"""Why a step turned a trigger down, for people: which step, and what it saw. Codes are those of `Rejection`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Reason:
    """A code in words. `step` is the name of the step that refuses."""

    step: str
    sentence: str


_STATEMENT: Final = "statement"
_SUBJECT: Final = "subject"
_NEGATION: Final = "negation"
_VALUE: Final = "value"
_SCOPE: Final = "scope"
_SIZE: Final = "size"
_BUDGET: Final = "budget"
_EVENT: Final = "event"
_SECOND: Final = "second opinion"

REASONS: Final[dict[str, Reason]] = {
    "quoted": Reason(_STATEMENT, "it stands in quotation marks"),
    "recited": Reason(_STATEMENT, "it is said for another purpose: to translate, to repeat, to read out, to play"),
    "echo": Reason(_STATEMENT, "the assistant said it, and it is only passed back"),
    "forwarded": Reason(_STATEMENT, "it is passed on or from a product card"),
    "question": Reason(_STATEMENT, "it is asked, not stated"),
    "conditional": Reason(_STATEMENT, "it is said under a condition"),
    "wish": Reason(_STATEMENT, "it is wished for"),
    "hedge": Reason(_STATEMENT, "the writer is not sure"),
    "reported": Reason(_STATEMENT, "somebody else said it"),
    "sarcasm": Reason(_STATEMENT, "it is not meant seriously"),
    "title": Reason(_STATEMENT, "it is part of a title"),
    "past": Reason(_STATEMENT, "it was so, and is not said to be so now"),
    "request": Reason(_STATEMENT, "it asks for something now"),
    "not_understood": Reason(_STATEMENT, "words beside it are not known, and nothing says that it is the writer's"),
    "description": Reason(_STATEMENT, "it describes a thing"),
    "statement": Reason(_STATEMENT, "it tells what is done, and orders nothing"),
    "wanted": Reason(_STATEMENT, "it is looked for, not had"),
    "retracted": Reason(_STATEMENT, "the writer takes it back"),
    "only_mentioned": Reason(_STATEMENT, "it is mentioned without being stated"),
    "other_subject": Reason(_SUBJECT, "it is about another person"),
    "other": Reason(_SUBJECT, "it is about another person"),
    "someone_elses": Reason(_SUBJECT, "it is another person's"),
    "negated": Reason(_NEGATION, "it is denied"),
    "denied": Reason(_NEGATION, "it is called untrue"),
    "double_negation": Reason(_NEGATION, "two denials make it unclear"),
    "exception": Reason(_NEGATION, "an exception is made"),
    "no_refusal": Reason(_NEGATION, "nothing in it refuses"),
    "softener": Reason(_NEGATION, "it is softened to a preference"),
    "like": Reason(_NEGATION, "it is a taste, not a ban"),
    "not_in_vocabulary": Reason(_VALUE, "what it speaks of is not in the lexicon"),
    "not_a_key": Reason(_VALUE, "the lexicon has the word, but not as something to avoid"),
    "says_more": Reason(_VALUE, "more is said of it than the lexicon knows"),
    "decoy": Reason(_VALUE, "the words together mean something else"),
    "no_heading": Reason(_VALUE, "it is no heading of a list"),
    "not_kept_out": Reason(_NEGATION, "nothing says that it is to be kept out"),
    "pronoun": Reason(_VALUE, "it names nothing, and nothing before it does"),
    "allergy_names_its_own": Reason(_VALUE, "an allergy in the same message names its things itself"),
    "general": Reason(_VALUE, "it is about things in general, not about the writer"),
    "no_reaction": Reason(_VALUE, "nothing says what it does to the writer"),
    "no_contrast": Reason(_VALUE, "nothing says that it is so for the writer alone"),
    "not_denied": Reason(_NEGATION, "nothing in it denies"),
    "is_allergy": Reason(_VALUE, "it is said as an allergy in the same message"),
    "no_allergy_word": Reason(_VALUE, "no word says that it is an allergy"),
    "thing": Reason(_VALUE, "it speaks of one thing"),
    "one_item": Reason(_VALUE, "it speaks of one item"),
    "scope": Reason(_SCOPE, "it holds for a day, a place or an occasion"),
    "not_lasting": Reason(_SCOPE, "nothing says that it lasts"),
    "limited": Reason(_SCOPE, "what follows compares it or finds some of it fine"),
    "brand_scoped": Reason(_SCOPE, "it is about one brand"),
    "anti_anchor": Reason(_SIZE, "a word nearby says that the number is something else"),
    "shoe": Reason(_SIZE, "it is a size of shoes"),
    "not_a_size": Reason(_SIZE, "it is not a size"),
    "no_anchor": Reason(_SIZE, "no word near the number says that it is a size"),
    "not_body": Reason(_SIZE, "it is not a measure of the body"),
    "product": Reason(_SIZE, "it is the size of a product"),
    "price": Reason(_BUDGET, "it is a price"),
    "minimum": Reason(_BUDGET, "it is a lower limit"),
    "budget_of_something_else": Reason(_BUDGET, "it is money for something else"),
    "no_currency": Reason(_BUDGET, "no currency is named where one is needed"),
    "not_money": Reason(_BUDGET, "the number is no money"),
    "no_amount": Reason(_BUDGET, "no amount is named"),
    "taken_by_budget": Reason(_BUDGET, "the words already say what may be paid"),
    "not_ahead": Reason(_EVENT, "nothing says that it is to come"),
    "work": Reason(_EVENT, "the writer works there and is no guest"),
    "cancelled": Reason(_EVENT, "it is called off"),
    "doubtful": Reason(_SECOND, "what stands around it is more like false readings than true ones"),
}


def explain_reason(code: str) -> Reason:
    """A code in words; one that is not known here speaks for itself."""
    return REASONS.get(code, Reason("step", code.replace("_", " ")))
