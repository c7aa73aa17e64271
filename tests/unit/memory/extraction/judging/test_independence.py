"""Two pieces of evidence are two when they come from other sessions, other days or other words; never in one exchange."""

from datetime import timedelta
from uuid import UUID

import pytest

from memory.extraction.judging.independence import EvidenceView, are_independent, has_two_independent, number_sessions
from memory.ids import new_id
from tests.unit.memory.extraction.conftest import CHAT, NOW

GAP = timedelta(minutes=30)


def view(words: str, *, minutes: int = 0, seq: int = 1, session: int = 0, conversation_id: UUID = CHAT) -> EvidenceView:
    said_at = NOW + timedelta(minutes=minutes)
    return EvidenceView(new_id(), conversation_id, seq, said_at, said_at.date(), session, frozenset(words.split()))


FIRST = view("i love zara")


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (view("i love zara", minutes=1, seq=2), False),
        (view("zara is what always fits me", minutes=1, seq=2), False),
        (view("zara is what always fits me", minutes=2, seq=3), False),
        (view("zara is what always fits me", minutes=9, seq=9), True),
        (view("i love zara", minutes=9, seq=9), False),
        (view("i do love zara", minutes=9, seq=9), False),
        (view("i love zara", minutes=50, seq=3, session=1), True),
        (view("i love zara", minutes=60 * 24, seq=2, session=0), True),
        (view("i love zara", minutes=5, conversation_id=new_id()), False),
        (view("i love zara", minutes=45, conversation_id=new_id()), True),
        (view("zara is what always fits me", minutes=5, conversation_id=new_id()), True),
    ],
)
def test_session_day_or_wording(second: EvidenceView, expected: bool) -> None:
    assert are_independent(FIRST, second, gap=GAP) is expected
    assert are_independent(second, FIRST, gap=GAP) is expected


def test_a_message_is_not_independent_of_itself() -> None:
    assert not are_independent(FIRST, FIRST, gap=GAP)
    assert not has_two_independent([FIRST], gap=GAP)
    assert not has_two_independent([], gap=GAP)


def test_one_independent_pair_among_many_is_enough() -> None:
    same = [view("i love zara", minutes=n, seq=n + 2) for n in range(1, 4)]
    assert not has_two_independent([FIRST, *same], gap=GAP)
    assert has_two_independent([FIRST, *same, view("i love zara", minutes=90, seq=9, session=1)], gap=GAP)


def test_a_session_ends_with_a_silence_longer_than_the_gap() -> None:
    ids = [new_id() for _ in range(4)]
    times = [NOW, NOW + timedelta(minutes=30), NOW + timedelta(minutes=61), NOW + timedelta(minutes=62)]
    found = number_sessions(list(zip(ids, times, strict=True)), gap=GAP)
    assert [found[message_id] for message_id in ids] == [0, 0, 1, 1]
