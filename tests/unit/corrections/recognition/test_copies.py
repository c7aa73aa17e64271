"""Which words of a text stand in the assistant's, in a row."""

import pytest

from corrections.recognition.copies import find_copied, join_heard


def list_copied(text: str, *heard: str, least: int = 4) -> list[str]:
    return [text[span.start : span.end] for span in find_copied(text, join_heard(heard), least=least)]


def test_a_run_of_words_is_found_whatever_stands_between_them():
    assert list_copied("hm: Size - M; allergy NICKEL. why?", "Noted.\nSize: M, allergy: nickel.") == [
        "Size - M; allergy NICKEL"
    ]


def test_fewer_words_than_asked_for_are_no_copy():
    assert list_copied("allergic to nickel", "You are allergic to nickel.") == []
    assert list_copied("allergic to nickel", "You are allergic to nickel.", least=3) == ["allergic to nickel"]


@pytest.mark.parametrize("heard", ["Are you allergic to wool and silk?", "هل عندك حساسية من الصوف والحرير؟"])
def test_who_repeats_what_is_asked_answers(heard: str):
    assert list_copied(heard.rstrip("?؟"), heard) == []


def test_two_pieces_of_one_text_are_two_copies():
    text = "one two three four, mine, five six seven eight"
    assert list_copied(text, "one two three four five six seven eight") == [
        "one two three four",
        "five six seven eight",
    ]


def test_a_run_does_not_go_over_from_one_message_to_the_next():
    assert list_copied("one two three four", "zero one two", "three four five") == []


def test_a_long_paste_is_looked_at_as_far_as_facts_are_read():
    assert sum(len(each) for each in list_copied("word " * 5_000, "word " * 5_000)) <= 2_000
