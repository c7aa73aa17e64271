from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patterns.text.arabizi import make_skeleton
from patterns.text.normaliser import MAX_CHARACTERS, MAX_PASTED, MAX_SPELT, MAX_TOKENS, Spelling, normalise


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("I DON’T", "i dont"),
        ("حَسَاسِيّة", "حساسيه"),
        ("مقـــاسي ٣٨", "مقاسي 38"),
        ("ёлка", "елка"),
        ("off-shoulder", "off shoulder"),
        ("S-M", "s-m"),
        ("size\u200b S\u00a0now", "size s now"),
        ("١٬٢٠٠", "1,200"),
        ("рaзмер", "размер"),
        ("we're", "we're"),
        ("one\ntwo", "one\ntwo"),
    ],
)
def test_spellings_of_one_word_meet(typed: str, folded: str) -> None:
    assert normalise(typed).text == folded


def test_a_stretched_word_becomes_the_one_that_the_vocabulary_knows() -> None:
    spelling = Spelling(vocabulary=frozenset(("wool", "never")))
    assert normalise("neverrrr wooool", spelling=spelling).text == "never wool"


def test_a_latin_word_loses_its_russian_ending() -> None:
    spelling = Spelling(vocabulary=frozenset(("turtleneck", "heels", "leather")))
    assert normalise("turtleneck'и, heels'ы, leather'а", spelling=spelling).text == "turtleneck, heels, leather"


def test_size_letters_are_never_shortened() -> None:
    assert normalise("XXXL").tokens[0].text == "xxxl"


def test_loose_arabizi_becomes_the_known_spelling() -> None:
    spelling = Spelling(frozenset(("7asasiya",)), frozenset(("7asasiya",)), {make_skeleton("7asasiya"): "7asasiya"})
    assert normalise("7assaseyyah", spelling=spelling).text == "7asasiya"


def test_vowel_signs_stay_with_their_letters_where_words_are_written_with_them() -> None:
    result = normalise("मुझे ऊन से एलर्जी है। ऊनी नहीं")
    assert [token.text for token in result.tokens] == ["मुझे", "ऊन", "से", "एलर्जी", "है", ".", "ऊनी", "नहीं"]
    assert len(result.clauses) == 2


def test_dense_text_is_read_up_to_a_number_of_words() -> None:
    result = normalise("я " * 900)
    assert result.is_capped
    assert len(result.tokens) == MAX_TOKENS


def test_of_a_text_longer_than_what_is_read_fewer_words_are_read() -> None:
    assert len(normalise("я " * MAX_CHARACTERS).tokens) == MAX_PASTED


def test_of_many_unknown_words_only_the_first_are_spelt_anew() -> None:
    spelling = Spelling(frozenset(("wool", "and")))
    known = "and " * (MAX_SPELT + 10)
    assert normalise(known + "woool", spelling=spelling).text.endswith(" wool")
    words = normalise("woool qxyz " + "abcd " * MAX_SPELT + "woool", spelling=spelling).text.split()
    assert (words[0], words[-1]) == ("wool", "woool")


def test_a_decomposed_letter_is_composed() -> None:
    assert normalise("мои\u0306").text == "мой"


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("si\u200bze \u200b M", "size M"),
        ("a \u200b\n b", "a\nb"),
        (" \r\u200b", "\n"),
        ("\u202ba\u202c \u200b ", "a "),
        ("a\u200b \u200bb", "a b"),
    ],
)
def test_signs_that_are_not_seen_leave_nothing_behind(typed: str, folded: str) -> None:
    assert normalise(typed).text == folded.lower()


@pytest.mark.parametrize("typed", ["wool,", "никель!", "صوف:", "m.", "ß?", "é;", "a..", "1,", "don't,", "e\u0301,"])
def test_a_mark_behind_a_word_is_a_token_of_its_own(typed: str) -> None:
    apart, joined = normalise(f"{typed[:-1]} {typed[-1]}"), normalise(typed)
    assert [token.text for token in joined.tokens] == [token.text for token in apart.tokens]
    assert joined.tokens[-1].kind == "mark"
    assert joined.raw_span(joined.tokens[-1].start, joined.tokens[-1].end) == (len(typed) - 1, len(typed))


def test_of_marks_in_a_row_no_more_are_read_than_of_words() -> None:
    assert len(normalise("?!" * 900).tokens) == MAX_TOKENS


def test_only_the_beginning_of_a_pasted_text_is_read() -> None:
    result = normalise("a b " * 2000)
    assert result.is_capped
    assert len(result.text) <= MAX_CHARACTERS


def test_clauses_end_at_stops_and_line_breaks() -> None:
    assert len(normalise("one. two!\nthree? four").clauses) == 4


@given(st.text(alphabet=st.sampled_from("abXж шЩёا ٣ى’-_'\n\u200bے́é😀\"1,."), max_size=60))
def test_every_token_points_at_raw_text(text: str) -> None:
    result = normalise(text, spelling=Spelling(frozenset(("ab",)), frozenset(), {"a": "ab"}))
    assert len(result.offsets) == len(result.text) + 1
    for token in result.tokens:
        start, end = result.raw_span(token.start, token.end)
        assert 0 <= start < end <= len(text)
