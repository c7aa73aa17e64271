"""Numbers take the form that their language gives them."""

import pytest

from config.me.wording import name_plural


@pytest.mark.parametrize(
    ("locale", "forms"),
    [
        ("en", {0: "other", 1: "one", 2: "other"}),
        ("ru", {1: "one", 2: "few", 5: "many", 11: "many", 21: "one", 22: "few", 112: "many", 0: "many"}),
        ("ar", {0: "zero", 1: "one", 2: "two", 3: "few", 10: "few", 11: "many", 99: "many", 100: "other", 103: "few"}),
    ],
)
def test_a_number_takes_its_plural_form(locale: str, forms: dict[int, str]) -> None:
    assert {number: name_plural(locale, number) for number in forms} == forms
