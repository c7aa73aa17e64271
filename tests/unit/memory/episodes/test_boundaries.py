"""Topics are cut by what messages do and by the words they share; silence and closing cut sessions (D-44)."""

from datetime import timedelta

import pytest

from memory.episodes.boundaries import cut_session, split_sessions
from memory.episodes.recipe import MAX_TURNS
from tests.unit.memory.episodes.talks import DRESS, TRIP, talk

GAP = timedelta(minutes=30)


def cut(*said: str) -> list[tuple[int, int]]:
    return cut_session(talk(*said))


def test_a_new_request_with_other_words_opens_a_topic_and_its_answers_stay_with_it() -> None:
    assert cut(*TRIP, *DRESS) == [(0, 4), (4, 8)]


def test_an_answer_to_an_open_question_opens_nothing_whatever_its_words() -> None:
    assert cut("u: I need shoes", "a: Which size do you wear?", "u: my feet are forty two centimetres long") == [(0, 3)]


@pytest.mark.parametrize(
    ("before", "reply", "shift"),
    [
        ("u: I need shoes for the dress", "a: These shoes fit the dress.", "u: Another thing: shoes for work"),
        ("u: Мне нужны туфли к платью", "a: Эти туфли подойдут к платью.", "u: Кстати, туфли на работу"),
        ("u: Мне нужны туфли к платью", "a: Эти туфли подойдут к платью.", "u: По другому вопросу, про туфли"),
        ("u: ابي حذاء للفستان", "a: هذا الحذاء يناسب الفستان.", "u: موضوع ثاني عن الحذاء والفستان"),
        ("u: abi shoes lel fustan", "a: hatha zain lel fustan.", "u: mawdoo3 thani shoes lel fustan"),
    ],
)
def test_saying_that_something_else_comes_cuts_in_four_languages(before: str, reply: str, shift: str) -> None:
    assert cut(before, reply, shift) == [(0, 2), (2, 3)]


def test_a_topic_opens_on_the_turn_of_the_user() -> None:
    pieces = cut(*TRIP, "a: The weather report says rain on the islands.", *DRESS)
    assert all(talk(*TRIP, "a: x", *DRESS)[first].role == "user" for first, _ in pieces)


def test_a_talk_without_a_sign_is_cut_where_it_becomes_too_long() -> None:
    pieces = cut(*(f"{'ua'[place % 2]}: the same linen dress again?" for place in range(3 * MAX_TURNS)))
    assert [first for first, _ in pieces[1:]] == [end for _, end in pieces[:-1]]
    assert pieces[0][0] == 0
    assert pieces[-1][1] == 3 * MAX_TURNS
    assert max(end - first for first, end in pieces) <= MAX_TURNS


def test_the_same_messages_are_cut_the_same() -> None:
    assert cut(*TRIP, *DRESS, *TRIP) == cut(*TRIP, *DRESS, *TRIP)


def test_a_session_ends_with_half_an_hour_of_silence_or_when_it_is_closed() -> None:
    moments = [message.created_at for message in talk(*TRIP, minutes=(0, 30, 60.1, 70))]
    assert split_sessions(moments, gap=GAP) == [(0, 2), (2, 4)]
    closed = moments[2] + timedelta(minutes=1)
    assert split_sessions(moments, gap=GAP, closes=[closed]) == [(0, 2), (2, 3), (3, 4)]
    assert split_sessions([], gap=GAP) == []
