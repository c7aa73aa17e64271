"""Quotation marks of every script and quoted lines; marks of feet and inches are none."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "「my size is XXL」",
        "‹I'm allergic to wool› was on the poster",
        "『У меня аллергия на никель』",
        "``I'm allergic to nickel''",
        "> I'm allergic to wool",
        "she wrote\n> не предлагай мне мех",
    ],
)
def test_what_stands_in_any_marks_is_quoted(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("my height is 5'4''", {"body_params/height=163"}),
        ("> I'm allergic to wool\nmy size is M", {"body_params/size=M"}),
        ('The "boho" look isn\'t me, I never wear fur', {"hard_ban/fur"}),
    ],
)
def test_what_stands_beside_marks_is_said(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts
