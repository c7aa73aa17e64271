"""How well the offline measures tell a retelling from the rest (docs/quality.md): false alarms and what is found.

    .venv/bin/python bench/retelling.py tests/data/retrieval/dev.conversations.jsonl [more files]

False alarms: messages of a user that follow another one in a normal session, and say again what an older session says
that bears on the one before. Found: sentences of a user that keep 70 % of their words, with a quarter of random ones
added, and are still told to be the same. Seeded; reads no database.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")

from corrections.quality.offline.retelling import Retellings, Words, read_sentences, read_told  # noqa: E402
from retrieval.evaluation.dataset import LabelledMessage, read_conversations  # noqa: E402

KEPT, ADDED = 0.7, 0.25


def count_alarms(mine: Sequence[LabelledMessage], sentences: Sequence[list[Words]]) -> tuple[int, int]:
    """Turns that follow another one in their session, and those that are told to be said again."""
    found = Retellings({UUID(int=place): read_told(one.text) for place, one in enumerate(mine)})
    for place in range(len(mine)):
        found.add(UUID(int=place), sentences[place])
    again = found.find()
    turns = [place for place in range(1, len(mine)) if mine[place].session == mine[place - 1].session]
    alarms = (
        any(is_alarm(place, other.int, mine, sentences) for other in again.get(UUID(int=place), ())) for place in turns
    )
    return len(turns), sum(alarms)


def is_alarm(place: int, other: int, mine: Sequence[LabelledMessage], sentences: Sequence[list[Words]]) -> bool:
    """Whether an older session has it, in a message that shares a word with the message before."""
    asked = frozenset().union(*sentences[place - 1])
    return other < place and mine[other].session != mine[place].session and any(asked & one for one in sentences[other])


def count_found(sentences: Sequence[list[Words]], draw: random.Random) -> tuple[int, int]:
    """Retold sentences, and those that are found."""
    words = sorted({word for message in sentences for one in message for word in one})
    told: dict[UUID, list[Words]] = {}
    sources: dict[UUID, int] = {}
    for place, message in enumerate(sentences):
        for one in (one for one in message if len(one) > 3):
            key = UUID(int=1_000_000 + len(told))
            kept = [word for word in sorted(one) if draw.random() < KEPT]
            told[key] = [frozenset([*kept, *draw.sample(words, max(1, int(len(one) * ADDED)))])]
            sources[key] = place
    found = Retellings(told)
    for place, message in enumerate(sentences):
        found.add(UUID(int=place), message)
    again = found.find()
    return len(told), sum(UUID(int=sources[key]) in again.get(key, ()) for key in told)


def main() -> None:
    import django

    django.setup()
    for path in map(Path, sys.argv[1:]):
        draw, totals = random.Random(1), [0, 0, 0, 0]
        for talk in read_conversations(path):
            people = [one for one in talk.messages if one.role == "user" or one.speaker]
            mine = [one for one in people if one.speaker == people[0].speaker]
            sentences = [read_sentences(one.text) for one in mine]
            counts = (*count_alarms(mine, sentences), *count_found(sentences, draw))
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
        turns, alarms, retold, found = totals
        said = f"{turns} turns, {alarms} false alarms ({alarms / turns:.1%})"
        print(f"{path.name}: {said}, {retold} retold, {found / retold:.0%} found")


if __name__ == "__main__":
    main()
