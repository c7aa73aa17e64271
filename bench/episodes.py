"""Episodes: boundaries against a labelled set, and what cutting costs. Needs no server.

.venv/bin/python -m bench.episodes path/to/superseg_validation.jsonl.gz
.venv/bin/python -m bench.episodes --messages 100000
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from memory.episodes.boundaries import cut_session
from memory.episodes.cuts import cut_episodes, list_sessions
from memory.episodes.types import SaidMessage

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


def read_dialogues(path: Path) -> Iterator[tuple[list[SaidMessage], list[int]]]:
    """Dialogues with, for each turn, whether a topic begins with it."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            messages, begins, is_next = [], [], 0
            for part in json.loads(line)["dialogue"].split("[NEWLINE]"):
                if part.strip() == "[BOUNDARY]":
                    is_next = 1
                    continue
                role, _, text = part.partition(":")
                name = "user" if role.strip() == "user" else "assistant"
                place = len(messages)
                at = BEGAN + timedelta(minutes=place)
                messages.append(SaidMessage(UUID(int=place), name, text.strip(), at, place + 1))
                begins.append(is_next)
                is_next = 0
            yield messages, begins


def find_pk(reference: Sequence[int], found: Sequence[int]) -> float:
    """Pk of Beeferman, Berger and Lafferty (1999): the window is half a segment of the reference."""
    width = max(1, round(len(reference) / (sum(reference) + 1) / 2))
    pairs = range(len(reference) - width)
    wrong = sum(bool(sum(reference[i + 1 : i + width + 1])) != bool(sum(found[i + 1 : i + width + 1])) for i in pairs)
    return wrong / len(pairs) if pairs else 0.0


def measure_boundaries(path: Path) -> None:
    """Print Pk, F1 of boundaries over all dialogues and the mean over them, and milliseconds a session."""
    shares, scores, hits, given, wanted, took, count = [], [], 0, 0, 0, 0.0, 0
    for messages, begins in read_dialogues(path):
        started = time.perf_counter()
        firsts = {first for first, _ in cut_session(messages) if first}
        took += time.perf_counter() - started
        found = [int(place in firsts) for place in range(len(messages))]
        both = sum(a and b for a, b in zip(begins, found, strict=True))
        hits, given, wanted, count = hits + both, given + sum(found), wanted + sum(begins), count + 1
        shares.append(find_pk(begins, found))
        scores.append(2 * both / (sum(begins) + sum(found)) if sum(begins) + sum(found) else 1.0)
    print(
        f"{count} dialogues: Pk {sum(shares) / count:.3f}, F1 {2 * hits / (given + wanted):.3f}"
        f" (mean of dialogues {sum(scores) / count:.3f}), {took * 1000 / count:.2f} ms a session"
    )


def measure_cutting(total: int) -> None:
    """Print the CPU seconds that cutting and wording a user of so many messages takes, database apart."""
    draw = random.Random(0)
    words = [f"{a}{b}{c}" for a in ("lin", "bar", "tor", "mel", "sen") for b in "aeiou" for c in ("dak", "mon", "ris")]
    messages, at = [], BEGAN
    for place in range(total):
        at += timedelta(minutes=90 if place % 14 == 0 else 1)
        text = " ".join(draw.choices(words, k=38)) + draw.choice(("?", ".", ". I decided to go."))
        messages.append(SaidMessage(UUID(int=place), "assistant" if place % 2 else "user", text, at, place + 1))
    started = time.process_time()
    sessions = list_sessions(messages, gap=timedelta(minutes=30), closes=())
    episodes = sum(len(cut_episodes(UUID(int=1), session, marks={})) for session in sessions)
    took = time.process_time() - started
    print(f"{total} messages: {episodes} episodes in {took:.1f} s of CPU, {took * 1000 / total:.2f} ms a message")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labelled", nargs="?", type=Path, help="dialogues with [BOUNDARY], gzip JSON Lines")
    parser.add_argument("--messages", type=int, default=0, help="cut a user of so many messages")
    chosen = parser.parse_args()
    if chosen.labelled:
        measure_boundaries(chosen.labelled)
    if chosen.messages:
        measure_cutting(chosen.messages)


if __name__ == "__main__":
    main()
