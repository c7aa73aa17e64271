"""Whatever a tenant sets, the page can be read and nothing foreign runs in it."""

from itertools import product

import pytest

from config.me.looks import DARK, LIGHT, LOGO, Look, choose_text, find_contrast, is_origin, reach_contrast

COLOURS = [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in product((0, 51, 119, 187, 255), repeat=3)]


def test_black_and_white_are_as_far_apart_as_can_be() -> None:
    assert round(find_contrast("#000000", "#ffffff"), 2) == 21
    assert round(find_contrast("#777777", "#ffffff"), 2) == 4.48


@pytest.mark.parametrize("colour", COLOURS)
def test_text_is_read_on_every_colour_and_every_colour_as_text(colour: str) -> None:
    assert find_contrast(choose_text(colour), colour) >= 4.5
    assert find_contrast(reach_contrast(colour, on=LIGHT, towards=(0, 0, 0)), LIGHT) >= 4.5
    assert find_contrast(reach_contrast(colour, on=DARK, towards=(1, 1, 1)), DARK) >= 4.5


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("https://app.example.com", True),
        ("https://app.example.com:8443", True),
        ("http://localhost:3000", True),
        ("http://app.example.com", False),
        ("https://app.example.com/path", False),
        ("https://app.example.com; script-src *", False),
        ("https://*", False),
        ("*", False),
        ("'self'", False),
    ],
)
def test_only_an_origin_is_let_into_the_policy(text: str, holds: bool) -> None:
    assert is_origin(text) is holds


@pytest.mark.parametrize(
    "logo", ["http://a.example/x.png", "https://a.example/x.png; script-src *", "data:text/html;base64,AA"]
)
def test_a_logo_is_a_picture(logo: str) -> None:
    assert not LOGO.fullmatch(logo)


def test_the_policy_allows_no_script_and_no_style_in_the_page() -> None:
    policy = Look("x", "#000000", "https://cdn.example/logo.png", "", ("https://app.example",)).policy
    assert "unsafe" not in policy and "script-src 'self'" in policy
    assert "img-src 'self' data: https://cdn.example;" in policy and "frame-ancestors https://app.example" in policy
