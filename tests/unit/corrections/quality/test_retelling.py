"""Telling something again, by words alone: what counts as the same, and what never does (docs/quality.md)."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from corrections.quality.offline.retelling import Retellings, asks_something, read_sentences, read_told
from retrieval.evaluation.dataset import read_conversations

OLD, LATER = UUID(int=1), UUID(int=2)
SETS = Path(__file__).parents[3] / "data" / "retrieval"


def says_again(old: str, later: str, *, between: tuple[str, ...] = ()) -> bool:
    found = Retellings({LATER: read_told(later)})
    for number, text in enumerate((old, later, *between)):
        found.add((OLD, LATER)[number] if number < 2 else UUID(int=number + 10), read_sentences(text))
    return OLD in found.find().get(LATER, ())


@pytest.mark.parametrize(
    ("old", "later"),
    [
        ("My sister Olga lives in Tbilisi and teaches piano", "I told you: Olga teaches piano in Tbilisi"),
        ("У моего кота Тофу аллергия на курицу", "Напомню, что у Тофу аллергия на курицу!"),
        ("عندي حساسية من النيكل في الساعات", "قلت لك عندي حساسية من النيكل في الساعات"),
    ],
)
def test_the_same_words_in_another_order_are_said_again_and_a_question_is_not(old: str, later: str) -> None:
    assert says_again(old, later)
    assert not says_again(old, f"{later.rstrip('!')}?")
    assert not says_again(old, "By the way, the meeting about the budget was moved to Friday")


def test_two_words_and_words_that_the_user_says_all_the_time_say_nothing() -> None:
    assert not says_again("Thanks, that is amazing advice", "Amazing advice!")
    common = tuple(f"Kids love nature walks number{n}" for n in range(10))
    assert says_again("Kids love nature walks", "Kids love nature walks together")
    assert not says_again("Kids love nature walks", "Kids love nature walks together", between=common)


def test_half_of_what_is_told_is_not_the_same() -> None:
    assert not says_again("Olga teaches piano", "Olga teaches chess, swimming, boxing, sewing and cooking in Yerevan")


def test_a_message_that_ends_in_a_question_asks() -> None:
    assert asks_something("Great. What is your size?") and asks_something("ما مقاسك؟ ") and not asks_something("Noted.")


def test_chats_that_go_on_normally_say_nothing_again() -> None:
    """False alarms: what follows a message in the same session against all older sessions of four languages."""
    turns = alarms = 0
    for name in ("dev", "held_out2"):
        for talk in read_conversations(SETS / f"{name}.conversations.jsonl"):
            speaker = next(one.speaker for one in talk.messages if one.role == "user")
            mine = [one for one in talk.messages if one.role == "user" and one.speaker == speaker]
            ids = {UUID(int=number): one for number, one in enumerate(mine)}
            found = Retellings({key: read_told(one.text) for key, one in ids.items()})
            for key, one in ids.items():
                found.add(key, read_sentences(one.text))
            again = found.find()
            turns += len(ids)
            alarms += sum(
                any(ids[other].session != one.session and other < key for other in again.get(key, ()))
                for key, one in ids.items()
            )
    assert turns > 300
    assert alarms / turns < 0.02
