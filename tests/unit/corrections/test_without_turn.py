"""What a reply can do that answers nothing: the tests before detection let all of it through."""

from __future__ import annotations

import random
from pathlib import Path

from corrections.evaluation.corpus import read_cases
from corrections.recognition.detector import CHANGING_CUES, detect, may_change, may_concern, read_reply
from patterns.rules.ruleset import RuleSet

CORRECTIONS = Path(__file__).parents[2] / "data" / "corrections" / "proof"


def test_whatever_is_corrected_without_a_turn_has_a_cue_that_may_change_something(rule_set: RuleSet) -> None:
    cases = list(read_cases(CORRECTIONS))
    source = random.Random(11)
    corrected = 0
    for case in cases:
        other = source.choice(cases)
        for reply in (case.reply, f"{case.turn} {case.reply}", f"{case.reply}, {other.reply}"):
            text = read_reply(reply, rule_set=rule_set)
            for facts in (case.facts, case.facts + other.facts):
                found = detect(reply, previous_turn=None, facts=facts, said_at=case.said_at, rule_set=rule_set)
                corrected += bool(found.operations)
                assert (may_change(text) and may_concern(text, facts)) or not found.operations, case.id
    assert corrected > 100


def test_each_cue_that_may_change_something_is_in_the_phrases(rule_set: RuleSet) -> None:
    assert {phrase.category for state in rule_set.phrase_book._states for phrase in state.accepts} >= CHANGING_CUES


def test_a_plain_statement_changes_nothing_and_a_denial_may(rule_set: RuleSet) -> None:
    assert not may_change(read_reply("I wear size M", rule_set=rule_set))
    assert not may_change(read_reply("у меня 44 размер", rule_set=rule_set))
    assert may_change(read_reply("not size M", rule_set=rule_set))
    assert may_change(read_reply("у меня теперь 44 размер", rule_set=rule_set))
