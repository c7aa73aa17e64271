"""Short talks for the tests of episodes: who says what, a minute apart."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from memory.episodes.types import SaidMessage

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


def talk(*said: str, minutes: Sequence[float] = ()) -> list[SaidMessage]:
    """Messages as "u: ..." and "a: ...", a minute apart or at the given minutes."""
    at = minutes or range(len(said))
    return [
        SaidMessage(
            id=UUID(int=place + 1),
            role="user" if text.startswith("u:") else "assistant",
            content=text[2:].strip(),
            created_at=BEGAN + timedelta(minutes=at[place]),
            seq=place + 1,
        )
        for place, text in enumerate(said)
    ]


TRIP = (
    "u: I need a hotel in Lisbon for three nights in May",
    "a: The Avenida hotel in Lisbon has rooms in May. Do you want breakfast?",
    "u: yes, with breakfast",
    "a: Booked: three nights at the Avenida hotel with breakfast.",
)
DRESS = (
    "u: What colour of dress suits a wedding in the evening?",
    "a: Deep green or navy suits an evening wedding.",
    "u: I decided to take the navy dress. It hides stains, because it is dark.",
    "a: A good choice for the wedding.",
)
