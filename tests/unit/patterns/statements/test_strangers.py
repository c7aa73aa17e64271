"""Who is spoken of is told by the form of the sentence where no vocabulary knows the word."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "my flat is size M lol",
        "the wardrobe is 180 cm high and weighs 60 kg",
        "Sara can spend up to 1500",
        "my bank account is allergic to silk",
        "эго у меня XXL",
        "мама у меня 52 размера",
        "у Маши аллергия на никель",
        "Size M: bust 92, waist 74, hips 98",
        "allergic to wool? no, just hate it",
        "для мамы: мини не предлагай",
        "it's not true that I'm a size L",
        "кто сказал, что я M",
    ],
)
def test_what_another_is_or_has_is_no_fact(read, text: str) -> None:
    assert read(text) == set()


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("my size is M", {"body_params/size=M"}),
        ("my bottoms are a size 44", {"body_params/size_bottom=44"}),
        ("my skin is allergic to latex", {"allergy/latex"}),
        ("у меня аллергия на никель", {"allergy/nickel"}),
        ("wool? no, I'm allergic", {"allergy/wool"}),
        ("me and my twin are both allergic to cashmere", {"allergy/cashmere"}),
    ],
)
def test_the_writer_keeps_what_is_theirs(read, text: str, facts: set[str]) -> None:
    assert read(text) == facts
