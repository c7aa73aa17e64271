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
    "recited": Reason(_STATEMENT, "it is a text to translate, repeat, read out or play"),
    "echo": Reason(_STATEMENT, "the user copied it from the assistant"),
    "forwarded": Reason(_STATEMENT, "it is forwarded or from a product card"),
    "question": Reason(_STATEMENT, "it is a question"),
    "conditional": Reason(_STATEMENT, "it is conditional"),
    "wish": Reason(_STATEMENT, "it is a wish"),
    "hedge": Reason(_STATEMENT, "the writer is not sure"),
    "reported": Reason(_STATEMENT, "somebody else said it"),
    "sarcasm": Reason(_STATEMENT, "it is not meant seriously"),
    "title": Reason(_STATEMENT, "it is part of a title"),
    "at_work": Reason(_STATEMENT, "the writer tells of their work"),
    "past": Reason(_STATEMENT, "it is about the past"),
    "request": Reason(_STATEMENT, "it is a request for now"),
    "not_understood": Reason(_STATEMENT, "it is next to unknown words, and nothing says that it is about the writer"),
    "description": Reason(_STATEMENT, "it describes a thing"),
    "statement": Reason(_STATEMENT, "it reports something and does not ask for anything"),
    "wanted": Reason(_STATEMENT, "the writer is looking for it"),
    "retracted": Reason(_STATEMENT, "the writer takes it back"),
    "only_mentioned": Reason(_STATEMENT, "it is mentioned without being stated"),
    "other_subject": Reason(_SUBJECT, "it is about another person"),
    "other": Reason(_SUBJECT, "it is about another person"),
    "someone_elses": Reason(_SUBJECT, "it belongs to another person"),
    "negated": Reason(_NEGATION, "it is denied"),
    "denied": Reason(_NEGATION, "it is called untrue"),
    "double_negation": Reason(_NEGATION, "two negations make it unclear"),
    "exception": Reason(_NEGATION, "it is an exception"),
    "no_refusal": Reason(_NEGATION, "it contains no refusal"),
    "softener": Reason(_NEGATION, "it is only a preference"),
    "like": Reason(_NEGATION, "it is a taste, not a ban"),
    "not_in_vocabulary": Reason(_VALUE, "the object is not in the lexicon"),
    "not_a_key": Reason(_VALUE, "the lexicon has the word, but not as something to avoid"),
    "says_more": Reason(_VALUE, "it says more than the lexicon knows"),
    "decoy": Reason(_VALUE, "the words together mean something else"),
    "no_heading": Reason(_VALUE, "it is not the heading of a list"),
    "not_kept_out": Reason(_NEGATION, "nothing says that it must be avoided"),
    "pronoun": Reason(_VALUE, "it refers to nothing that was named before"),
    "allergy_names_its_own": Reason(_VALUE, "an allergy in the same message names its own objects"),
    "general": Reason(_VALUE, "it is about things in general, not about the writer"),
    "no_reaction": Reason(_VALUE, "it names no reaction of the writer"),
    "no_contrast": Reason(_VALUE, "nothing says that it applies only to the writer"),
    "not_denied": Reason(_NEGATION, "it contains no negation"),
    "is_allergy": Reason(_VALUE, "the same message states it as an allergy"),
    "no_allergy_word": Reason(_VALUE, "no word says that it is an allergy"),
    "thing": Reason(_VALUE, "it is about one thing"),
    "one_item": Reason(_VALUE, "it is about one item"),
    "scope": Reason(_SCOPE, "it is limited to a day, a place or an occasion"),
    "not_lasting": Reason(_SCOPE, "nothing says that it lasts"),
    "limited": Reason(_SCOPE, "the next words compare it or allow some of it"),
    "brand_scoped": Reason(_SCOPE, "it is about one brand"),
    "anti_anchor": Reason(_SIZE, "a nearby word says that the number is something else"),
    "shoe": Reason(_SIZE, "it is a shoe size"),
    "not_a_size": Reason(_SIZE, "it is not a size"),
    "no_anchor": Reason(_SIZE, "no word near the number says that it is a size"),
    "not_body": Reason(_SIZE, "it is not a measure of the body"),
    "product": Reason(_SIZE, "it is the size of a product"),
    "price": Reason(_BUDGET, "it is a price"),
    "minimum": Reason(_BUDGET, "it is a lower limit"),
    "budget_of_something_else": Reason(_BUDGET, "it is money for something else"),
    "no_currency": Reason(_BUDGET, "a currency is missing"),
    "not_money": Reason(_BUDGET, "the number is not money"),
    "no_amount": Reason(_BUDGET, "no amount is named"),
    "taken_by_budget": Reason(_BUDGET, "the words already belong to a budget"),
    "not_ahead": Reason(_EVENT, "nothing says that it is in the future"),
    "work": Reason(_EVENT, "the writer works there and is not a guest"),
    "cancelled": Reason(_EVENT, "it is called off"),
    "doubtful": Reason(_SECOND, "the words around it are more typical of false readings"),
}


def explain_reason(code: str) -> Reason:
    """A code in words; one that is not known here speaks for itself."""
    return REASONS.get(code, Reason("step", code.replace("_", " ")))
