"""The second opinion: what stands around a reading may speak against it, and what it must never touch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from patterns.rules.accuracy import load_corpus, measure_accuracy
from patterns.rules.doubting import Example, Misread, fit_weights, list_examples, list_misread
from patterns.rules.ruleset import RuleSet
from patterns.steps.doubt_weights import Doubts, describe_sign, load_doubts, make_imprint, read_doubts, write_doubts
from tests.unit.patterns.conftest import SAID_AT

PLAIN = Path(__file__).parents[3] / "data" / "doubts" / "plain.jsonl"
TEXT = "my squat budget is 500"
FACT = {"type": "budget", "key": "general", "value": 500}


@pytest.fixture(scope="module")
def weights(rule_set: RuleSet) -> Doubts:
    """Weights that know every shipped rule as it is, and one sign: squats are no matter of money."""
    budget = {"bias": {"": 100}, "before": {"squat": -300}, "within": {"squat": -300}}
    data = {
        "version": 1,
        "limit": 0,
        "types": ["budget"],
        "languages": ["en"],
        "rules": {},
        "weights": {"budget": budget},
    }
    return replace(read_doubts(data), rules={rule.slug: make_imprint(rule) for rule in rule_set.rules})


def judge(rule_set: RuleSet, doubts: Doubts | None) -> RuleSet:
    """The shipped rules of two types, and all words, with other weights or none."""
    settings = {**rule_set.settings, "doubts": doubts}
    return RuleSet(
        rules=[rule for rule in rule_set.rules if rule.knowledge_type in ("allergy", "budget")],
        settings=settings,
        version=0,
        lexicon=rule_set.lexicon,
        phrases=rule_set.phrases,
    )


def test_a_reading_with_signs_against_it_is_refused_and_the_signs_are_told(rule_set: RuleSet, weights: Doubts) -> None:
    judged = judge(rule_set, weights)
    refused = judged.read(TEXT, said_at=SAID_AT)
    assert not refused.readings
    (told,) = [one for one in refused.rejections if one.reason == "doubtful"]
    assert any("“squat”" in sign for sign in told.signs)
    assert [one.value for one in judged.read("my dress budget is 500", said_at=SAID_AT).readings] == [500]


def test_what_staff_changed_what_they_added_and_unknown_languages_are_never_doubted(
    rule_set: RuleSet, weights: Doubts
) -> None:
    unknown = replace(weights, rules=dict.fromkeys(weights.rules, "another"))
    for doubts in (unknown, replace(weights, rules={}), replace(weights, languages=frozenset({"ru"}))):
        assert judge(rule_set, doubts).read(TEXT, said_at=SAID_AT).readings


def test_a_type_without_weights_is_not_doubted(rule_set: RuleSet, weights: Doubts) -> None:
    assert judge(rule_set, weights).read("squat squat I am allergic to wool", said_at=SAID_AT).readings


def test_weights_are_kept_and_read_as_they_were(tmp_path, weights: Doubts) -> None:
    data = {
        "version": 1, "limit": 30, "types": ["budget"], "languages": ["en", "ru"], "rules": {"a": "b"},
        "weights": {"all": {"end": {"?": -20}}, "budget": {"end": {"?": -5, "": 7}}},
    }  # fmt: skip
    write_doubts(tmp_path, data)
    doubts = load_doubts(tmp_path)
    assert doubts is not None
    assert doubts.tables["budget"]["end"] == {"?": -25, "": 7}
    assert (doubts.limit, doubts.languages, doubts.rules) == (30, {"en", "ru"}, {"a": "b"})
    assert load_doubts(tmp_path / "nothing") is None


def test_the_shipped_weights_know_most_shipped_rules_and_leave_plain_statements_alone(rule_set: RuleSet) -> None:
    doubts = rule_set.settings["doubts"]
    assert len(doubts.list_judged(rule_set.rules)) >= 0.7 * len(rule_set.rules)
    accuracy = measure_accuracy(rule_set, load_corpus(PLAIN)[::5])
    assert accuracy.total.recall >= 0.99


def test_a_plain_statement_beside_another_is_not_doubted(rule_set: RuleSet) -> None:
    accuracy = measure_accuracy(rule_set, load_corpus(PLAIN.with_name("pairs.jsonl.gz"))[::10])
    assert accuracy.total.false == 0
    assert accuracy.total.recall >= 0.95


def test_what_is_learnt_parts_true_from_false_and_is_the_same_each_time() -> None:
    signs = {
        True: frozenset({("before", "my"), ("kind", "word")}),
        False: frozenset({("before", "her"), ("kind", "word")}),
    }
    examples = [Example("budget", signs[is_true], is_true, 1.0, "en") for is_true in (True, False) * 20]
    learnt = fit_weights(examples, limit=30)
    assert learnt["budget", ("before", "my")] > 0 > learnt["budget", ("before", "her")]
    assert learnt == fit_weights(examples, limit=30)


def test_false_readings_are_noted_with_their_place_and_learnt_from(rule_set: RuleSet) -> None:
    row = {"id": "x1", "language": "en", "now": SAID_AT.isoformat(), "text": f"hi. {TEXT}", "expect": []}
    plain = judge(rule_set, None)
    (noted,) = list_misread(plain, {"strangers": [row]})
    assert (noted.set, noted.id, noted.type, noted.how) == ("strangers", "x1", "budget", "first_sight")
    assert row["text"][noted.start : noted.end] == "budget is 500"
    true = {**row, "id": "x2", "text": "my dress budget is 500", "expect": [FACT]}
    found = list_examples(plain, {"strangers": [row, true]}, [replace(noted, how="unguarded")])
    own = [one for one in found if one.rule.startswith("budget") or not one.is_true]
    assert sum(not one.is_true for one in own) == 1
    assert any(one.is_true and ("before", "dress") in one.signs for one in own)


def test_a_noted_reading_of_a_message_that_is_gone_is_passed_over(rule_set: RuleSet) -> None:
    gone = Misread("strangers", "x9", "budget", "general", "word", "en", 0, 5, "first_sight")
    assert len(list_examples(rule_set, {}, [gone])) == len(list_examples(rule_set, {}, []))


@pytest.mark.parametrize(
    ("sign", "words"),
    [
        (("before1", "squat"), "“squat” right before it"),
        (("behind@", "relation"), "a word of the list relation behind it"),
        (("within@", "?"), "a word that nobody knows in it"),
        (("after1", ""), "nothing right behind it"),
        (("before", "#"), "a number before it"),
        (("end", "?"), "how the sentence ends (?)"),
    ],
)
def test_signs_are_told_in_words(sign: tuple[str, str], words: str) -> None:
    assert describe_sign(sign) == words
