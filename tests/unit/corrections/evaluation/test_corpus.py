"""The labelled corpus: it is read as its description says, and the detector keeps its promise on it."""

import json
from pathlib import Path

import pytest

from corrections.evaluation.corpus import judge_cases, read_cases
from patterns.rules.ruleset import RuleSet

CORPUS = Path(__file__).resolve().parents[3] / "data" / "corrections" / "proof"
ROW = {
    "id": "x1",
    "language": "en",
    "now": "2026-03-02T12:00:00+04:00",
    "assistant": "Your size is M",
    "user": "no, L",
    "facts": [{"type": "body_params", "key": "size", "value": "M"}],
    "expect": {
        "action": "supersede",
        "ops": [{"op": "set", "type": "body_params", "key": "size", "value": "L"}],
        "correction_type": "user_denied",
    },
}


def test_nine_replies_of_ten_cause_exactly_the_expected_operations_in_every_language(rule_set: RuleSet) -> None:
    verdict = judge_cases(read_cases(CORPUS), rule_set=rule_set)
    rates = {name: counter["exact"] / counter["total"] for name, counter in verdict.by_language.items()}
    assert verdict.rate >= 0.95, [case.id for case, _ in verdict.mistakes]
    assert min(rates.values()) >= 0.9, rates


def test_replies_that_correct_nothing_cause_no_operation(rule_set: RuleSet) -> None:
    verdict = judge_cases((case for case in read_cases(CORPUS) if not case.outcomes), rule_set=rule_set)
    assert [case.id for case, _ in verdict.mistakes] == []


def test_a_mistake_is_counted_and_kept(tmp_path: Path, rule_set: RuleSet) -> None:
    wrong = {**ROW, "id": "x2", "expect": {"action": "none", "ops": []}}
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(ROW) + "\n\n" + json.dumps(wrong) + "\n", encoding="utf-8")
    verdict = judge_cases(read_cases(path), rule_set=rule_set)
    assert (verdict.total, verdict.exact, verdict.rate) == (2, 1, 0.5)
    assert [case.id for case, _ in verdict.mistakes] == ["x2"]


def test_a_line_that_is_no_case_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(ROW) + "\n{}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 2"):
        list(read_cases(path))
