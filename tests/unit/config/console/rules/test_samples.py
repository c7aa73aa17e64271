from config.console.rules.samples import MAX_SAMPLES, cut_pieces, split_samples
from patterns.types import Reading, Rejection


def make_reading(start: int, end: int) -> Reading:
    return Reading("body_params", "size", "M", None, 0.95, start, end, "size", 1, "en")


def test_a_message_is_cut_where_marks_begin_and_end() -> None:
    pieces = cut_pieces("size M, no wool", [make_reading(0, 6)], [Rejection("ban", "not_lasting", 8, 10)])
    assert [(piece.text, piece.tone) for piece in pieces] == [
        ("size M", "found"),
        (", ", ""),
        ("no", "refused"),
        (" wool", ""),
    ]


def test_a_facts_mark_wins_over_a_refusals() -> None:
    pieces = cut_pieces("size M", [make_reading(0, 6)], [Rejection("size", "question", 0, 4)])
    assert [(piece.text, piece.tone) for piece in pieces] == [("size M", "found")]


def test_an_empty_message_has_no_pieces() -> None:
    assert cut_pieces("", [], []) == []


def test_no_more_messages_are_read_than_the_limit() -> None:
    assert len(split_samples("a\n" * (MAX_SAMPLES + 50))) == MAX_SAMPLES
