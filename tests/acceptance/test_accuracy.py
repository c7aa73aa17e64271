"""How well messages are understood, as floors: a change of rules or grammar may not fall under them.

The held-out parts were never looked at while rules were written; their floors are what a stranger may expect.
"""

from datetime import datetime
from pathlib import Path

import pytest

from corrections.evaluation.corpus import judge_cases, read_cases
from patterns.rules.accuracy import list_corpora, load_corpus, measure_accuracy, name_corpus
from patterns.rules.reasons import REASONS
from patterns.rules.ruleset import RuleSet

DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize(
    ("name", "precision", "recall"),
    [
        ("dev", 0.995, 0.99),
        ("dev2", 0.99, 0.98),
        ("dev3", 0.99, 0.96),
        ("dev4", 0.99, 0.98),
        ("dev5", 0.99, 0.98),
        ("dev6", 0.99, 0.98),
        ("dev7", 0.99, 0.97),
        ("dev8", 0.99, 0.95),
        ("dev9", 0.99, 0.9),
        ("dev10", 0.99, 0.97),
        ("dev11", 0.99, 0.97),
        ("dev12", 0.99, 0.97),
        ("dev13", 0.99, 0.92),
        ("dev14", 0.99, 0.88),
        ("dev15", 0.99, 0.93),
        ("dev16", 0.99, 0.97),
        ("dev17", 0.99, 0.95),
        ("dev18", 0.99, 0.95),
        ("dev19", 0.99, 0.97),
        ("dev20", 0.99, 0.97),
        ("wordings", 0.995, 0.98),
        ("held_out", 0.99, 0.93),
    ],
)
def test_facts_are_read_rightly_and_mostly_of_every_type(rule_set: RuleSet, name: str, precision: float, recall: float):
    (path,) = (path for path in list_corpora(DATA / "instant") if name_corpus(path) == name)
    accuracy = measure_accuracy(rule_set, load_corpus(path))
    assert accuracy.total.precision >= precision
    assert accuracy.total.recall >= recall
    assert accuracy.dates_right >= 0.95 * accuracy.dates
    assert {kind: counts.precision for kind, counts in accuracy.by_type.items() if counts.precision < 0.97} == {}


@pytest.mark.parametrize(
    ("name", "precision", "recall"), [("quoting", 0.98, 0.99), ("quoting2", 0.95, 0.99), ("quoting3", 0.97, 0.84)]
)
def test_what_is_quoted_praised_or_done_by_trade_is_kept_apart(
    rule_set: RuleSet, name: str, precision: float, recall: float
):
    accuracy = measure_accuracy(rule_set, load_corpus(DATA / "instant" / f"{name}.jsonl"))
    assert accuracy.total.precision >= precision
    assert accuracy.total.recall >= recall


@pytest.mark.parametrize(("name", "most"), [("quoting4", 5), ("quoting5", 32), ("quoting6", 11), ("quoting7", 20)])
def test_messages_that_pass_words_on_state_no_more_than_they_did(rule_set: RuleSet, name: str, most: int):
    accuracy = measure_accuracy(rule_set, load_corpus(DATA / "instant" / f"{name}.jsonl"))
    assert len([mistake for mistake in accuracy.mistakes if mistake.false]) <= most


def test_what_only_sounds_like_a_statement_is_none(rule_set: RuleSet):
    accuracy = measure_accuracy(rule_set, load_corpus(DATA / "instant" / "hard_negatives.jsonl.gz"))
    assert [mistake.message_id for mistake in accuracy.mistakes] == []


def test_every_reason_for_which_a_near_miss_is_none_is_told_in_words(rule_set: RuleSet):
    said_at = datetime.fromisoformat("2026-03-02T12:00:00+04:00")
    near_misses = load_corpus(DATA / "instant" / "hard_negatives.jsonl.gz")[::4]
    found = {each.reason for m in near_misses for each in rule_set.read(m["text"], said_at=said_at).rejections}
    assert len(found) > 50
    assert found <= set(REASONS)


@pytest.mark.parametrize(
    ("name", "exact"),
    [
        ("dev", 0.98),
        ("dev2", 0.97),
        ("dev3", 0.97),
        ("dev4", 0.97),
        ("matrix", 0.98),
        ("kinds_ru", 0.98),
        ("held_out", 0.92),
        ("held_out2", 0.92),
        ("held_out3", 0.95),
        ("held_out4", 0.93),
    ],
)
def test_replies_cause_exactly_what_they_ask_for(rule_set: RuleSet, name: str, exact: float):
    verdict = judge_cases(read_cases(DATA / "corrections" / f"{name}.jsonl"), rule_set=rule_set)
    assert verdict.rate >= exact
    assert verdict.by_action["none"]["exact"] == verdict.by_action["none"]["total"]
