"""Marks in the evidence: where a value is written, and texts cut by them."""

from config.console.review.marking import find_near, find_written
from config.console.samples import cut_marks


def test_a_value_is_marked_as_a_whole_word_in_any_case() -> None:
    assert find_written("Size M, not medium; m", "M") == [(5, 6), (20, 21)]
    assert find_written("nothing", "") == []


def test_marks_that_overlap_cut_a_text_without_losing_a_letter() -> None:
    pieces = cut_marks("abcdefgh", [(4, 6), (1, 3), (2, 5)])
    assert [(piece.text, piece.tone) for piece in pieces] == [
        ("a", ""),
        ("bc", "found"),
        ("de", "found"),
        ("f", "found"),
        ("gh", ""),
    ]
    assert "".join(piece.text for piece in pieces) == "abcdefgh"
    assert [piece.text for piece in cut_marks("abc", [])] == ["abc"]


def test_a_value_beside_its_match_is_marked_and_one_far_away_is_not() -> None:
    text = "мне 168, рост у меня 168, а дальше ещё много слов о погоде и о чём угодно: 168"
    match = (text.index("рост"), text.index("рост") + len("рост у меня"))
    assert [text[start:end] for start, end in find_near(text, 168, [match])] == ["168"]
    assert find_near(text, 168, [match]) == [(21, 24)]
    assert find_near("my size is M, as ever", "M", [(0, 12)]) == []
    assert find_near("рост у меня такой", 168, [(0, 11)]) == []
