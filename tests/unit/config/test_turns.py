"""Who is worked on when: one after the other, and not behind one that waits for somebody else."""

import threading

from config.turns import Turns


class Visitor:
    """Takes a turn in a thread of its own and keeps it until told to leave."""

    def __init__(self, turns: Turns, name: str, seen: list[str]) -> None:
        self.is_in, self.may_leave = threading.Event(), threading.Event()
        self._turns, self._name, self._seen = turns, name, seen
        self.thread = threading.Thread(target=self._visit)
        self.thread.start()

    def _visit(self) -> None:
        with self._turns.take():
            self._seen.append(self._name)
            self.is_in.set()
            assert self.may_leave.wait(10)

    def leave(self) -> None:
        self.may_leave.set()
        self.thread.join(10)


def wait_for_length(turns: Turns, length: int) -> None:
    for _ in range(1000):
        if turns.length == length:
            return
        threading.Event().wait(0.005)
    raise AssertionError(turns.length)


def test_requests_are_worked_on_one_at_a_time_in_the_order_in_which_they_came() -> None:
    said: list[int] = []
    turns, seen = Turns(patience=60, note=said.append), []
    visitors: list[Visitor] = []
    for place, name in enumerate("abc"):
        visitors.append(Visitor(turns, name, seen))
        wait_for_length(turns, place + 1)
    assert visitors[0].is_in.wait(10)
    assert not visitors[1].is_in.wait(0.05)
    for place, visitor in enumerate(visitors):
        assert visitor.is_in.wait(10)
        assert seen == list("abc"[: place + 1])
        visitor.leave()
    assert turns.length == 0
    assert said == [1, 2, 3, 2, 1, 0]


def test_nobody_waits_for_one_that_takes_longer_than_an_ordinary_request() -> None:
    turns, seen = Turns(patience=0.05), []
    slow = Visitor(turns, "slow", seen)
    assert slow.is_in.wait(10)
    quick = Visitor(turns, "quick", seen)
    assert quick.is_in.wait(10)
    quick.leave()
    with turns.take():  # at once: the slow one does not count any more
        assert turns.length == 2
    slow.leave()
    assert turns.length == 0


def test_a_turn_that_fails_is_over() -> None:
    turns = Turns(patience=60)
    for _ in range(2):
        try:
            with turns.take():
                raise ValueError
        except ValueError:
            assert turns.length == 0
