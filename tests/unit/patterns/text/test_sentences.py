"""Sentences are places in a text: what is cut out stands there letter by letter."""

import pytest

from patterns.text.sentences import split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It rained. We stayed…\u00a0“Why?” she asked", ["It rained.", "We stayed…", "“Why?", "she asked"]),
        ("one \t\n\n \n two\nthree", ["one", "two", "three"]),
        ("我住在北京。他说：“好！”然后走了？对", ["我住在北京。", "他说：“好！", "”然后走了？", "对"]),
        ("Version 3.11 of a.b came!)  Then…so", ["Version 3.11 of a.b came!", "Then…so"]),
        ("...\n?! \n- 12\n- a list", ["a list"]),
    ],
)
def test_a_sentence_ends_behind_its_mark_or_with_its_line(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in split_sentences(text, longest=300)] == sentences
