"""A small pack, so that a set is compiled in a moment."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import patterns.registry
from patterns.grammar.kinds import GRAMMAR_ROWS
from patterns.registry import RuleSetRegistry
from patterns.rule import Rule
from patterns.rules.pack import SHIPPED, Pack, load_pack
from tests.packs import bring_in
from tests.rule_sets import keep_derived


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[RuleSetRegistry]:
    """Rule sets of this test alone: what it loads is not what the next test is read by."""
    registry = RuleSetRegistry()
    monkeypatch.setattr(patterns.registry, "_registry", registry)
    yield registry
    keep_derived(registry)


@cache
def load_small() -> Pack:
    """Three rules of the shipped pack with the English words and every list of grammar."""
    pack = load_pack(SHIPPED)
    slugs = ("allergy-en-word", "ban-en-order", "allergy-arabizi-word")
    rules = tuple(rule for rule in pack.rules if rule.slug in slugs)
    languages = ("en", "mixed", "arabizi")
    entries = tuple(one for one in pack.entries if one.language in languages or one.category in GRAMMAR_ROWS)
    return Pack("small", rules, entries, pack.settings)


@pytest.fixture
def small(db: None) -> Pack:
    """The small pack as shared rows."""
    bring_in(load_small())
    return load_small()


def make_balloon_rule(**changes: Any) -> Rule:
    """A rule that can be kept: its kind and side are those of the shipped allergy rule."""
    shipped = next(rule for rule in load_small().rules if rule.slug == "allergy-en-word")
    values: dict[str, Any] = {
        "slug": "allergy-en-balloon",
        "knowledge_type": "allergy",
        "language": "en",
        "purpose": "extract",
        "kind": shipped.kind,
        "object_side": shipped.object_side,
        "pattern": "i balloon up from",
        "positive": ("i balloon up from nickel", "i balloon up from wool"),
        "negative": ("my sister says i balloon up from nickel?", "i went up in a balloon"),
    }
    return Rule(**(values | changes))
