"""What a writer unsays in the next breath was not said; what is only put right stands."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "I never wear leather. Actually no, I do",
        "my budget is 300, haha no it's not",
        "never suggest heels, I take it back",
        "кожу не ношу. хотя нет, ношу",
        "бюджет 300, ха-ха, нет конечно",
        "ميزانيتي ٣٠٠ هههه لا طبعا",
        "ma albas jild. la la albasa 3adi",
        "я не ношу leather. actually нет, ношу",
    ],
)
def test_what_is_taken_back_is_no_fact(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm a size M. Actually no, L", {"body_params/size=L"}),
        ("I never wear leather. I do like suede", {"hard_ban/leather"}),
        ("my budget is 300, no more", {"budget/general=300"}),
        ("никель и шерсть нельзя, аллергия. нет, не шучу", {"allergy/nickel", "allergy/wool"}),
        ("I wear M, my budget is 300, haha no it's not", {"body_params/size=M"}),
    ],
)
def test_what_goes_on_takes_nothing_back(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts
