"""The claim of a proposal in canonical form, and the vocabulary of its value, if any (D-24, D-25). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from memory.extraction.types import Operation
from patterns.kinds.body.size_values import find_size
from patterns.matching.lexicon import Lexicon
from patterns.rules.ruleset import RuleSet
from patterns.text.normaliser import normalise

CATEGORIES: Final = {
    "allergy": ("fabric", "irritant"),
    "hard_ban": ("fabric", "material", "cut", "garment", "pattern", "colour", "brand"),
    "brand_preference": ("brand",),
}
"""The categories of the vocabulary that hold the values of a type."""
EVENT_CATEGORIES: Final = ("event", "work_party")
BODY_KEYS: Final = {"size": None, "size_top": None, "size_bottom": None, "height": (120, 220), "weight": (30, 250)}
"""Keys of body_params; centimetres and kilograms within reason."""
_BUDGET: Final = re.compile(r"\d{2,7}(-\d{2,7})?( [A-Z]{3})?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The fact that is looked for in the evidence."""

    knowledge_type: str
    knowledge_key: str
    value: str | int
    categories: tuple[str, ...] = ()
    is_literal: bool = False
    """An allergen that the vocabulary does not know: its own words are looked for, and it never becomes a fact."""

    @property
    def slot(self) -> tuple[str, str]:
        """Type and key."""
        return (self.knowledge_type, self.knowledge_key)


def make_wanted(operation: Operation, *, rules: RuleSet) -> Wanted | str:
    """The claim in canonical form, or the code of what is wrong with its key or value."""
    value = operation.value if operation.value is not None else operation.knowledge_key
    if value is None or isinstance(value, bool) or not str(value).strip():
        return "no_value"
    kind = operation.knowledge_type
    if kind in CATEGORIES:
        return _make_word(kind, str(value), rules)
    if kind == "life_event":
        return _make_event(str(value), operation.knowledge_key, rules.lexicon)
    if kind == "budget":
        return _make_budget(value, operation.knowledge_key)
    return _make_body_param(value, operation.knowledge_key or "size", rules)


def want_fact(knowledge_type: str, knowledge_key: str, value: str | int) -> Wanted:
    """A fact that is stored already, looked for again."""
    return Wanted(knowledge_type, knowledge_key, value, CATEGORIES.get(knowledge_type, ()))


def is_same_value(first: object, second: object) -> bool:
    """500 and "500" are one amount."""
    return str(first).strip().upper() == str(second).strip().upper()


def fold_words(text: str) -> tuple[str, ...]:
    """The words of a text in the spelling in which messages are compared."""
    return tuple(token.text for token in normalise(text.replace("_", " ")).tokens if token.kind != "mark")


def make_slug(text: str) -> str:
    """A key as keys are written: lower case, words joined by underscores."""
    return re.sub(r"[^\w]+", "_", text.strip().lower()).strip("_")[:100]


def _make_word(kind: str, value: str, rules: RuleSet) -> Wanted | str:
    """The canonical word, whether the model wrote the canonical key or any alias in any language."""
    slug = make_slug(value)
    categories = CATEGORIES[kind]
    if any(slug in rules.lexicon.canonicals.get(category, ()) for category in categories):
        return Wanted(kind, slug, slug, categories)
    message = rules.analyse(value.replace("_", " "))
    found = {m.canonical for category in categories for m in message.marks.get(category, ())}
    if len(found) == 1:
        canonical = found.pop()
        return Wanted(kind, canonical, canonical, categories)
    if kind == "allergy" and slug and not found:
        return Wanted(kind, slug, slug, is_literal=True)
    return "value_not_in_vocabulary"


def _make_event(value: str, key: str | None, lexicon: Lexicon) -> Wanted | str:
    slug = make_slug(value)
    if not any(slug in lexicon.canonicals.get(category, ()) for category in EVENT_CATEGORIES):
        return "value_not_in_vocabulary"
    return Wanted("life_event", make_slug(key) if key else slug, slug)


def _make_budget(value: str | int, key: str | None) -> Wanted | str:
    text = str(value).strip().upper().removesuffix(" AED")
    if key not in (None, "general"):
        return "unknown_key"
    if not _BUDGET.fullmatch(text):
        return "value_malformed"
    return Wanted("budget", "general", int(text) if text.isdecimal() else text)


def _make_body_param(value: str | int, key: str, rules: RuleSet) -> Wanted | str:
    if key not in BODY_KEYS:
        return "unknown_key"
    text = str(value).strip()
    limits = BODY_KEYS[key]
    if limits is not None:
        is_fit = text.isdecimal() and limits[0] <= int(text) <= limits[1]
        return Wanted("body_params", key, int(text)) if is_fit else "value_malformed"
    message = rules.analyse(text)
    size = find_size(message, 0, len(message.tokens)) if message.tokens else None
    if size is None or size.end != len(message.tokens):
        return "value_malformed"
    return Wanted("body_params", key, size.value)
