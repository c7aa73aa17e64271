"""Phrases with alternatives, found in tokens."""

import pytest

from patterns.normaliser import normalise
from patterns.phrases import Cue, Phrase, PhraseBook, split_slots


def find(book: PhraseBook, text: str) -> list[Cue]:
    return book.find_all(normalise(text).tokens)


def test_a_group_stands_for_each_of_its_words() -> None:
    book = PhraseBook([Phrase("challenge", "source", "en", "where (did|do) you (get|hear from) that")])
    for text in ("where did you get that", "Where do you hear from THAT?"):
        assert [(cue.start, cue.category) for cue in find(book, text)] == [(0, "challenge")]
    assert find(book, "where did they get that") == []


def test_an_empty_choice_makes_a_group_optional() -> None:
    book = PhraseBook([Phrase("over", "over", "ru", "(уже|) прошла (вчера|)")])
    assert [(cue.start, cue.end) for cue in find(book, "уже прошла вчера")] == [(0, 3), (1, 3)]
    assert [(cue.start, cue.end) for cue in find(book, "прошла")] == [(0, 1)]


def test_the_longest_phrase_of_a_category_wins_at_a_place() -> None:
    book = PhraseBook([Phrase("denial", "plain", "en", "not"), Phrase("denial", "firm", "en", "not true")])
    assert [(cue.meaning, cue.end) for cue in find(book, "not true")] == [("firm", 2)]


def test_phrases_meet_text_in_any_spelling() -> None:
    book = PhraseBook([Phrase("denial", "plain", "ar", "لأ"), Phrase("self", "self", "en", "I'm")])
    assert len(find(book, "لا")) == 1
    assert len(find(book, "I’m")) == 1


def test_a_phrase_that_may_be_empty_is_refused() -> None:
    with pytest.raises(ValueError, match="may be empty"):
        PhraseBook([Phrase("denial", "plain", "en", "(no|)")])


def test_slots_are_words_and_choices_in_order() -> None:
    assert split_slots("who (told|gave) you") == [[("who",)], [("told",), ("gave",)], [("you",)]]
