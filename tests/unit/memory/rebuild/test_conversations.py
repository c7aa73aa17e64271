"""What a fold keeps of conversations is bounded, and what it lets go of is asked for."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from uuid import UUID

from memory.rebuild.conversations import KEPT, KEPT_CONVERSATIONS, Memory
from memory.types import RecordedMessage

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def make_message(number: int, conversation: int) -> RecordedMessage:
    said_at = NOON + timedelta(seconds=number)
    return RecordedMessage(
        UUID(int=number + 1), UUID(int=1), UUID(int=2), UUID(int=conversation), number, "user", "x", said_at, said_at
    )


class Table:
    """Every message, and how often it was asked."""

    def __init__(self) -> None:
        self.rows: list[RecordedMessage] = []
        self.asked = 0

    def list_before(self, message: RecordedMessage, *, hidden: Collection[UUID], limit: int) -> list[RecordedMessage]:
        self.asked += 1
        before = [row for row in self.rows if row.conversation_id == message.conversation_id and row.seq < message.seq]
        return [row for row in reversed(before) if row.id not in hidden][:limit]


def fill(conversations: int, rounds: int) -> tuple[Memory, Table]:
    table = Table()
    memory = Memory(table.list_before)
    for number in range(conversations * rounds):
        message = make_message(number, number % conversations)
        memory.add(message, replaced=())
        table.rows.append(message)
    return memory, table


def count_kept(memory: Memory) -> int:
    return sum(map(len, memory._ends.values()))


def test_a_user_with_many_conversations_is_not_held_in_memory() -> None:
    memory, _ = fill(conversations=20 * KEPT_CONVERSATIONS, rounds=3)
    assert count_kept(memory) <= 3 * KEPT_CONVERSATIONS


def test_a_long_conversation_is_not_held_in_memory() -> None:
    memory, _ = fill(conversations=1, rounds=50 * KEPT)
    assert count_kept(memory) <= 2 * KEPT


def test_a_conversation_that_goes_on_after_many_others_is_asked_for() -> None:
    conversations = 3 * KEPT_CONVERSATIONS
    memory, table = fill(conversations=conversations, rounds=4)
    late = make_message(4 * conversations, 0)
    previous = memory.list_previous(late, 3)
    assert [message.seq for message in previous] == [3 * conversations, 2 * conversations, conversations]
    assert table.asked == 1


def test_the_conversation_that_goes_on_is_at_hand() -> None:
    memory, table = fill(conversations=2, rounds=10)
    assert [message.seq for message in memory.list_previous(make_message(20, 0), 2)] == [18, 16]
    assert table.asked == 0


def test_a_new_conversation_has_nothing_before_it_and_asks_nobody() -> None:
    memory, table = fill(conversations=3 * KEPT_CONVERSATIONS, rounds=1)
    assert memory.list_previous(make_message(10_000, 10_000), 2) == []
    assert table.asked == 0
