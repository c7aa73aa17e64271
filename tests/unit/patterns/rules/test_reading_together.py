from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from patterns.matching.triggers import LONG_TEXT
from patterns.rules.accuracy import load_corpus
from patterns.rules.ruleset import RuleSet

CORPUS = Path(__file__).parents[3] / "data" / "instant" / "proof"
SAID_AT = datetime(2026, 3, 2, 12, tzinfo=UTC)
DENSE = "i wear size M, my budget is 500, i'm allergic to nickel, never show me fur, " * 30


def test_texts_read_together_say_what_each_says_alone(rule_set: RuleSet) -> None:
    texts = [row["text"] for row in load_corpus(CORPUS)[::5]]
    texts += [DENSE, " ".join(texts[:40]), ""]
    messages = [message.copy() for message in rule_set.analyse_said(texts)]
    found = rule_set.read_all(messages, said_at=[SAID_AT] * len(texts))
    assert found == [rule_set.read(text, said_at=SAID_AT) for text in texts]
    assert sum(bool(result.readings) for result in found) > 100


def test_dense_text_is_read_no_further_than_what_is_followed(rule_set: RuleSet) -> None:
    (message,) = rule_set.analyse_said([DENSE])
    assert message.normal.is_capped
    assert len(message.normal.text) < 2 * LONG_TEXT
    assert len(message.normal.offsets) == len(message.normal.text) + 1
    assert {(r.knowledge_type, r.knowledge_key) for r in rule_set.read(DENSE, said_at=SAID_AT).readings} == {
        ("body_params", "size"), ("budget", "general"), ("allergy", "nickel"), ("hard_ban", "fur"),
    }  # fmt: skip


def test_long_text_with_few_triggers_is_read_to_its_end(rule_set: RuleSet) -> None:
    text = "we walked along the sea and talked about the old house, " * 14 + "my size is M"
    assert len(text) > LONG_TEXT
    assert [reading.value for reading in rule_set.read(text, said_at=SAID_AT).readings] == ["M"]


def test_what_stands_behind_few_triggers_and_a_long_gap_is_read(rule_set: RuleSet) -> None:
    head = "168. never late. my skin is dry. get me L. 5a6eebi ma2asa XL." + " " * 600
    (message,) = rule_set.analyse_said([head + "I'm allergic to nickel. " + "see you. " * 80])
    (result,) = rule_set.read_all([message], said_at=[SAID_AT])
    assert "nickel" in [reading.knowledge_key for reading in result.readings]


@pytest.mark.parametrize("text", ["got ما أكثر من 38", "my size went from 46 to", "نزل مقاسي من ٤٦ إلى"])
def test_a_text_that_ends_before_what_is_looked_for_is_read(rule_set: RuleSet, text: str) -> None:
    assert not [each for each in rule_set.read(text, said_at=SAID_AT).readings if each.knowledge_type == "budget"]
