from __future__ import annotations

from pathlib import Path

import pytest

from patterns.matching.literals import list_bounds, list_required_literals
from patterns.matching.triggers import LONG_TEXT, MAX_MATCHES_PER_RULE, WINDOW, TriggerFinder
from patterns.rule import Rule
from patterns.rules.accuracy import load_corpus
from patterns.rules.lint import lint_rule

CORPUS = Path(__file__).parents[3] / "data" / "instant" / "proof"


def make_rule(pattern: str, **changes: object) -> Rule:
    values = {"slug": "rule", "knowledge_type": "hard_ban", "language": "en", "purpose": "extract", "kind": "explicit"}
    return Rule(**(values | {"pattern": pattern, "positive": ("a",), "negative": ("b",)} | changes))


@pytest.mark.parametrize(
    ("pattern", "literals"),
    [
        ("never (?:ever )?wear", ("never ever wear", "never wear")),
        ("(?:my )?size", ("my size", "size")),
        ("a+never[a-z]{0,3}", ("never",)),
        ("(?:budget|limit) [0-9]+", ("budget", "limit")),
        ("[a-z]{2}", ()),
    ],
)
def test_required_literals_are_what_no_match_can_do_without(pattern: str, literals: tuple[str, ...]) -> None:
    assert list_required_literals(pattern) == literals


@pytest.mark.parametrize(
    ("pattern", "bounds"),
    [
        ("(?:my )?size", {"size": (True, True), "my size": (True, True)}),
        ("never[a-z]{0,3}", {"never": (True, False)}),
        ("(?:[a-z]+ )?never(?: [a-z]+)*", {"never": (True, True)}),
        ("(?:a|b)*never", {"never": (False, True)}),
        ("[a-z]+never|(?:so )*ever", {"never": (False, True), "ever": (True, True)}),
    ],
)
def test_it_is_known_where_a_word_begins_or_ends_with_a_literal(pattern: str, bounds: dict[str, object]) -> None:
    assert list_bounds(pattern) == bounds


def test_the_gate_loses_nothing(rule_set) -> None:
    """On a corpus, gate then RE2 finds what RE2 finds without the gate."""
    for row in load_corpus(CORPUS)[::2]:
        text = rule_set.analyse(row["text"]).normal.text
        assert rule_set.finder.list_triggers(text) == rule_set.finder.list_triggers(text, is_gated=False)


@pytest.mark.parametrize("text", ["casino msh", "swear size", "emphasize", "жмой размер"])
def test_only_whole_words_fire(text: str) -> None:
    assert TriggerFinder([make_rule("no msh|wear size|size me|phasize|мой размер")]).list_triggers(text) == []


def test_a_rule_is_no_candidate_where_its_literal_is_only_part_of_a_word() -> None:
    finder = TriggerFinder([make_rule("la", literals=("la",))])
    assert finder.list_candidates("my flight was late") == []
    assert finder.list_candidates("la, merci") == finder.list_candidates("ok la") == [0]


def test_no_more_of_a_text_is_looked_at_than_shows_that_it_is_dense() -> None:
    finder = TriggerFinder([make_rule(word, literals=(word,)) for word in ("never", "budget", "allergic")])
    assert finder.list_candidates("never a budget and allergic", enough=2) == [0, 1]
    assert finder.list_candidates("never", enough=2) == [0]


def test_an_attached_arabic_and_does_not_hide_a_word() -> None:
    assert TriggerFinder([make_rule("مقاسي")]).list_triggers("طولي 162 ومقاسي 40")


def test_of_a_dense_text_the_first_triggers_count_whichever_rule_they_are_of() -> None:
    finder = TriggerFinder([make_rule("no fur", slug="late"), make_rule("no silk", slug="early")])
    text = "no silk " * 6 + "small talk " * 40 + "no fur " * 400
    assert [t.rule.slug for t in finder.list_triggers(text)] == ["early"] * 6 + ["late"] * MAX_MATCHES_PER_RULE


@pytest.mark.parametrize("place", range(LONG_TEXT - WINDOW, LONG_TEXT + WINDOW, 7))
def test_a_trigger_is_found_wherever_it_stands_in_a_long_text(place: int) -> None:
    text = ("мы " * 400)[:place] + " никогда не ношу мех " + "мы " * 200
    (found,) = TriggerFinder([make_rule("никогда не ношу мех")]).list_triggers(text)
    assert text[found.start : found.end] == "никогда не ношу мех"


@pytest.mark.parametrize("attack", ["(?:a+)+b", "(?:a|aa)+b"])
def test_staff_cannot_freeze_a_process(attack: str) -> None:
    finder = TriggerFinder([make_rule(attack)])
    assert finder.list_triggers("a" * 2000 + "!") == []


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"pattern": "(never"}, "does not compile"),
        ({"pattern": r"never(?=x)"}, "does not compile"),
        ({"pattern": r"\bnever"}, "Latin letters alone"),
        ({"pattern": "never .*"}, "at most 12"),
        ({"pattern": "(?:never)?"}, "matches an empty text"),
        ({"pattern": "[a-z]{2}"}, "a word of at least two letters"),
        ({"positive": ()}, "at least one example"),
        ({"language": "klingon"}, "is not one of"),
        ({"category": "event"}, "a pattern or a category, not both"),
    ],
)
def test_the_lint_says_what_is_wrong_in_words(changes: dict[str, object], problem: str) -> None:
    values = {"pattern": "never"} | changes
    assert problem in " ".join(lint_rule(make_rule(str(values.pop("pattern")), **values)))
