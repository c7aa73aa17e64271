"""From several verdicts to one decision."""

import pytest

from corrections.review.decisions import count_agreeing_pairs, find_decision


@pytest.mark.parametrize(
    ("verdicts", "wanted", "decision"),
    [
        ([], 1, None),
        (["correct"], 1, "correct"),
        (["false_fact"], 2, None),
        (["false_fact", "false_fact"], 2, "false_fact"),
        (["false_fact", "correct"], 2, None),
        (["false_fact", "correct", "correct"], 2, "correct"),
        (["correct", "wrong_subject", "false_fact"], 3, None),
        (["correct", "correct"], 3, None),
    ],
)
def test_a_majority_decides_once_all_wanted_have_spoken(verdicts: list[str], wanted: int, decision: str | None) -> None:
    assert find_decision(verdicts, wanted=wanted) == decision


def test_agreement_counts_pairs_inside_an_item() -> None:
    items = [["correct", "correct"], ["correct", "false_fact"], ["correct", "correct", "false_fact"], ["correct"]]
    assert count_agreeing_pairs(items) == (2, 5)
