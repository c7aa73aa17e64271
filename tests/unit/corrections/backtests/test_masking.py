"""What rule editors see of a message: the match, twenty characters around it, no numbers or addresses."""

import pytest

from corrections.backtests.masking import mask


def test_a_match_shows_twenty_characters_around_it_and_says_that_there_is_more() -> None:
    text = "a" * 50 + "MATCH" + "b" * 50
    snippet = mask(text, start=50, end=55)
    assert (snippet.before, snippet.match, snippet.after) == ("a" * 20, "MATCH", "b" * 20)
    assert (snippet.is_cut_before, snippet.is_cut_after) == (True, True)


def test_a_short_message_is_shown_whole() -> None:
    snippet = mask("no wool", start=3, end=7)
    assert (snippet.before, snippet.match, snippet.after, snippet.is_cut_before) == ("no ", "wool", "", False)


@pytest.mark.parametrize(
    "private", ["0501234567", "+971 50 123 45 67", "me@example.com", "https://x.org/a", "@someone"]
)
def test_numbers_and_addresses_are_hidden_even_inside_the_match(private: str) -> None:
    text = f"wool {private}"
    snippet = mask(text, start=0, end=len(text))
    assert private not in snippet.match
    assert snippet.match.startswith("wool •")


def test_sizes_and_sums_stay_readable() -> None:
    assert mask("size 42, up to 1500", start=0, end=19).match == "size 42, up to 1500"
