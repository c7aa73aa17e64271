from __future__ import annotations

from patterns.text.caches import DROPPED, KnownWords, Met, make_room
from patterns.text.recurring import Recurring


def test_what_comes_a_second_time_is_kept() -> None:
    kept: Recurring[int] = Recurring(size=2)
    kept.note("ok", 1)
    assert kept.find("ok") is None
    kept.note("ok", 2)
    assert kept.find("ok") == 2


def test_a_store_never_outgrows_its_size() -> None:
    kept: Recurring[int] = Recurring(size=2)
    for number in range(10):
        for _ in range(2):
            kept.note(f"text {number}", number)
    for number in range(1000):
        kept.note(f"once {number}", number)
    assert len(kept._found) <= 2


def test_a_full_store_drops_its_oldest_alone() -> None:
    store = {number: str(number) for number in range(1000)}
    assert make_room(store) == [str(number) for number in range(DROPPED)]
    assert list(store) == list(range(DROPPED, 1000))


def test_what_was_met_lately_is_known_and_what_was_met_long_ago_is_not() -> None:
    met = Met(size=100)
    for number in range(100, 1000):
        assert not met.note(number)
        assert met.note(number)
        assert number < 150 or met.note(number - 50)
    assert not met.note(100)


def test_nothing_counts_as_met_before_anything_was() -> None:
    met = Met(size=4)
    assert [met.note(key) for key in (0, -1, 2**63 - 1, -(2**63))] == [False] * 4


def test_a_word_is_kept_from_the_second_time_on() -> None:
    asked: list[str] = []

    def measure(word: str) -> int:
        asked.append(word)
        return len(word)

    known = KnownWords(measure, size=1000, longest=5)
    assert [known["shoes"] for _ in range(4)] == [5] * 4
    assert asked == ["shoes"] * 2
    assert [known["dresses"] for _ in range(3)] == [7] * 3  # too long to be kept
    assert list(known) == ["shoes"]


def test_words_that_come_once_drive_out_none() -> None:
    known = KnownWords(len, size=200, longest=20)
    for word in ("ok", "ok", *(f"name {number}" for number in range(10_000))):
        assert known[word] == len(word)
    assert list(known) == ["ok"]


def test_known_words_never_outgrow_their_size() -> None:
    known = KnownWords(len, size=100, longest=20)
    for number in range(1000):
        assert [known[f"word {number}"] for _ in range(2)] == [len(f"word {number}")] * 2
    assert len(known) <= 100
    assert "word 999" in known
