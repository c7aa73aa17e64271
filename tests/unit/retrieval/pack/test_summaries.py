"""One sentence a message: the one that shares most with the question, word for word, under the tokens there are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from msgspec import structs

from retrieval.pack.budget import BROAD_SHARES, DEFAULT_SLOTS, BudgetPolicy, allot, allot_with_layers
from retrieval.pack.summaries import (
    Layers,
    Line,
    Remembered,
    asks_detail,
    choose_lines,
    find_line,
    list_shared,
    make_blocks,
    order_hits,
    want_words,
)

BEGAN = datetime(2026, 3, 1, tzinfo=UTC)
HOTEL = want_words(frozenset({"hotel", "lisbon"}))


def remember(text: str, rank: int = 0, *, episode: int | None = 1, role: str = "user") -> Remembered:
    return Remembered(
        message_id=UUID(int=rank + 1),
        role=role,
        speaker="",
        content=text,
        created_at=BEGAN + timedelta(hours=rank),
        rank=rank,
        episode_id=UUID(int=1000 + episode) if episode else None,
    )


def count(line: Line, is_first: bool) -> int:
    return len(line.text.split()) + 3 * is_first


def test_the_sentence_with_most_of_the_questions_words_is_taken_in_whatever_form() -> None:
    line = find_line(remember("It rained. We looked at hotels in Lisbon all day.\n- a hotel by the sea"), HOTEL)
    assert line is not None
    assert (line.text, line.shared) == ("We looked at hotels in Lisbon all day.", 2)


def test_a_word_is_found_where_one_begins_in_any_form_and_nowhere_inside_another() -> None:
    wanted = want_words(frozenset({"go", "studi", "develop", "age"}))
    found = [
        {stem for _, stems in list_shared(text, wanted) for stem in stems}
        for text in ("She studies.", "Developers' developments; a DEVELOPED one", "ago, cargo, page_age", "(go)age", "")
    ]
    assert found == [{"studi"}, {"develop"}, set(), {"go", "age"}, set()]


def test_without_a_shared_word_the_first_sentence_that_says_something_is_taken_and_else_none() -> None:
    message = remember("Ok. The ferry to the island leaves every morning at nine.")
    assert find_line(message, HOTEL) == Line(message, "The ferry to the island leaves every morning at nine.", 0)
    assert find_line(remember("Ok. Fine."), HOTEL) is None
    assert find_line(remember("x" * 700), HOTEL) is None


@pytest.mark.parametrize(
    ("text", "stem"),
    [("Мы искали гостиницу в Казани", "гостиниц"), ("ابي فندق في دبي", "فندق"), ("酒店在上海", "酒店")],
)
def test_other_scripts_are_found_too(text: str, stem: str) -> None:
    line = find_line(remember(text), want_words(frozenset({stem})))
    assert line is not None
    assert line.text == text


def test_lines_fit_into_the_tokens_and_none_repeats_what_is_shown() -> None:
    hits = [remember(f"The hotel number {place} in Lisbon has a pool.", place) for place in range(9)]
    layers = Layers(wanted=HOTEL, hits=hits)
    choice = choose_lines(layers, shown={hits[0].message_id: hits[0].content}, tokens=40, count=count)
    assert sum(count(line, place == 0) for place, line in enumerate(choice.lines)) <= 40
    assert [line.message.rank for line in choice.lines] == [1, 2, 3]
    assert choice.left_out == [hit.message_id for hit in hits[4:]]


def test_what_had_no_room_is_named_unless_a_smaller_line_of_it_fits_or_nobody_looked_for_its_word() -> None:
    long, short = remember("The hotel in Lisbon " + "has a pool " * 9, 0), remember("The hotel in Lisbon.", 1)
    unread = structs.replace(remember("A hotel.", 2), needs_word=True)
    again = structs.replace(long, content="A hotel in Lisbon.")
    layers = Layers(wanted=HOTEL, hits=[long, short, unread], overflow=[remember("Bye to you.", 3)])
    choice = choose_lines(layers, shown={}, tokens=20, count=count)
    assert [(line.message.rank, line.reason) for line in choice.lines] == [(1, "found")]
    assert choice.left_out == [long.message_id, UUID(int=4)]
    layers = Layers(wanted=HOTEL, hits=[long], overflow=[remember("The hotel is full.", 5)], orientation=[again])
    choice = choose_lines(layers, shown={}, tokens=30, count=count)
    assert [line.reason for line in choice.lines] == ["left_window", "latest_episode"]
    assert choice.left_out == []


def test_a_broad_question_gives_every_episode_a_word_before_one_has_a_second() -> None:
    hits = [remember(f"The hotel {place} in Lisbon.", place, episode=place // 3) for place in range(9)]
    narrow, broad = (Layers(wanted=HOTEL, hits=hits, is_broad=is_broad) for is_broad in (False, True))
    episodes = [
        [line.message.rank // 3 for line in choose_lines(layers, shown={}, tokens=30, count=count).lines]
        for layers in (narrow, broad)
    ]
    assert episodes == [[0, 0, 0], [0, 1, 2]]


def test_a_question_about_order_gives_every_day_a_word_and_what_an_assistant_said_comes_last() -> None:
    roles = ("assistant", "user", "user", "user")
    hits = [remember("The hotel.", place, episode=place, role=roles[place % 4]) for place in range(8)]
    hits = [structs.replace(one, created_at=BEGAN + timedelta(days=one.rank // 6)) for one in hits]
    layers = Layers(wanted=HOTEL, hits=hits, is_broad=True, is_own_order=True)
    assert [one.rank for one in order_hits(layers)] == [1, 6, 2, 7, 3, 5, 0, 4]
    named = [structs.replace(one, speaker="Melanie") for one in hits]  # an answer of a person is news too
    assert [one.rank for one in order_hits(replace(layers, hits=named))] == [0, 6, 1, 7, 2, 3, 4, 5]


def test_blocks_are_episodes_oldest_first_and_say_whether_the_summary_was_enough() -> None:
    hits = [remember("The hotel in Lisbon.", 5, episode=2), remember("A hotel was cheap.", 0, episode=1)]
    layers = Layers(wanted=HOTEL, hits=hits, covered={UUID(int=1001): 2, UUID(int=1002): 1})
    lines = choose_lines(layers, shown={}, tokens=100, count=count).lines
    first, second = make_blocks(lines, layers, question="Which hotel was it?")
    assert [first.episode_id, second.episode_id] == [UUID(int=1001), UUID(int=1002)]
    assert (first.is_unpacked, second.is_unpacked) == (False, True)
    assert make_blocks(lines, layers, question="Which hotel was it on 5 May?")[0].is_unpacked
    assert second.to_dict()["text"] == "The hotel in Lisbon."


def test_a_number_a_name_or_a_quotation_asks_for_detail() -> None:
    assert asks_detail("What did I say about «the blue one»?")
    assert asks_detail("What happened on 12 May?")
    assert asks_detail("What did I tell Anna?")
    assert not asks_detail("What did we decide about the trip?")


def test_where_tokens_are_few_cards_and_window_leave_room_for_summaries() -> None:
    policy = BudgetPolicy(slots=dict(DEFAULT_SLOTS))
    needs = {"system": 700, "facts": 50, "input": 30, "personal": 3000, "window": 5000, "summaries": 3000}
    slots = allot_with_layers(policy, needs=needs, max_tokens=2000, intent="", message_count=500)
    room = 2000 - 780 - 200
    assert slots["summaries"] > room / 2
    assert sum(slots.values()) <= 2000 - 200
    broad = allot_with_layers(policy, needs=needs, max_tokens=2000, intent="", message_count=500, shares=BROAD_SHARES)
    assert broad["summaries"] > slots["summaries"]
    whole = allot_with_layers(policy, needs=needs, max_tokens=None, intent="", message_count=500)
    former = allot(policy, needs=needs, max_tokens=None, intent="", message_count=500)
    assert {**whole, "summaries": 0} == former | {"summaries": 0}
