"""A short question that its writer answers at once is a heading of the answer."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("my size? M", {"body_params/size=M"}),
        ("First of all, my size? M", {"body_params/size=M"}),
        ("Budget? 250, not a dirham more", {"budget/general=250"}),
        ("الميزانية؟ 250 ولا درهم زيادة", {"budget/general=250"}),
        ("Allergies? Latex.", {"allergy/latex"}),
        ("silk? makes me itch", {"allergy/silk"}),
        ("шерсть? сразу чешусь", {"allergy/wool"}),
        ("soof? a7ik 3ala 6ool", {"allergy/wool"}),
    ],
)
def test_a_heading_is_answered(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "your size? M",
        "my size? M or L?",
        "what size? M looks small",
        "wool? love it",
        "allergies? none",
        "бюджет? нет такого",
    ],
)
def test_what_answers_nothing_gives_nothing(read, text: str) -> None:
    assert read(text) == set()
