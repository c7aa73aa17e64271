"""Episodes: boundaries against a labelled set, and what cutting, nights and packs cost.

python -m bench.episodes path/to/superseg_validation.jsonl.gz
python -m bench.episodes --messages 100000

With the database, in a transaction that is taken back (messages, users, packs):

UNDE_DB_ROLE=owner script/manage shell -c "from bench.episodes import measure_stored; measure_stored(100_000, 1, 40)"

The owner of the tables may count their rows for the planner, as a running installation does by itself: what was rolled
back before leaves it to believe that they are empty.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

from memory.episodes.boundaries import cut_session
from memory.episodes.cuts import cut_episodes, list_sessions
from memory.episodes.types import SaidMessage

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
ROUNDS = 6  # of packs: in a few of them other work leaves one alone


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


def make_messages(total: int, *, seed: int = 0) -> list[SaidMessage]:
    """A made-up talk: sessions of 14 messages of about 250 characters, words of a vocabulary of 2,000 by Zipf."""
    draw = random.Random(seed)
    beginnings = ("lin", "bar", "tor", "mel", "sen", "cor", "van", "pit", "dak")
    parts = [f"{beginning}{vowel}" for beginning in beginnings for vowel in "aeiou"]
    words = [one + other for one in parts for other in parts][:2_000]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    messages, at = [], BEGAN
    for place in range(total):
        at += timedelta(minutes=90 if place % 14 == 0 else 1)
        said = draw.choices(words, weights, k=38)
        text = f"{' '.join(said[:20])}. {' '.join(said[20:])}{draw.choice(('?', '.', '. I decided to go.'))}"
        messages.append(SaidMessage(UUID(int=place), "assistant" if place % 2 else "user", text, at, place + 1))
    return messages


def measure_stored(messages: int, users: int, packs: int) -> None:
    """Print what cutting and a night take for `users` of so many `messages` each, and a pack without and with episodes.

    A plain view comes last: how fast this machine is just now. Everything is rolled back. CPU of cutting and nights is
    that of this process; seconds hold the database too.
    """
    from retrieval.configuration import get_pipeline
    from retrieval.evaluation.dataset import LabelledConversation, LabelledMessage
    from retrieval.evaluation.packs import count_rows
    from retrieval.evaluation.runner import ingest_conversations, scratch_tenant

    def tell(seed: int) -> LabelledConversation:
        said = make_messages(messages, seed=seed)
        rows = [LabelledMessage(str(m.seq), m.role, "", "", m.content, m.created_at) for m in said]
        return LabelledConversation(str(seed), str(seed), tuple(rows))

    with scratch_tenant() as tenant_id:
        conversations = [tell(seed) for seed in range(users)]
        now = conversations[0].messages[-1].said_at + timedelta(days=1)
        people = ingest_conversations(tenant_id, conversations, provider=get_pipeline().provider, now=now)
        refs = [person.user for person in people.values()]
        _measure_rounds(refs, messages, now)
        count_rows()
        _measure_packs(refs[0], packs, now)


def _measure_rounds(refs: Sequence[Any], messages: int, now: datetime) -> None:
    from memory.episodes.cutting import Cutting, cut_conversation
    from memory.episodes.night import layer_user
    from memory.models import Conversation

    total = messages * len(refs)
    with _clock(f"{total} messages of {len(refs)} users cut"):
        for user in refs:
            for row in Conversation.objects.filter(user_id=user.id):
                cut_conversation(Cutting(user, now), row)
    for name in ("first", "next"):
        with _clock(f"{total} messages, {name} night"):
            for user in refs:
                layer_user(user=user, now=now)


def _measure_packs(user: Any, packs: int, now: datetime) -> None:
    """Each question without and with episodes in turn, as the API asks (plans that hold for every user).

    CPU is the least of some rounds for each question: what other work makes dearer is left out.
    """
    from django.db import connection

    from memory.models import Conversation
    from retrieval.configuration import get_pipeline
    from retrieval.pipeline import make_parts
    from retrieval.types import ContextQuery

    conversation_id = Conversation.objects.filter(user_id=user.id).values_list("id", flat=True)[0]
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('plan_cache_mode', 'force_generic_plan', true), pg_backend_pid()")
        backend = cursor.fetchone()[1]
    took: dict[tuple[str, bool], list[float]] = defaultdict(lambda: [0.0] * packs)
    server = {False: 0.0, True: 0.0}
    questions = [" ".join(message.content.split()[3:9]) for message in make_messages(packs, seed=99)]
    for turn in range(ROUNDS):
        for has_layers in (False, True):
            began = _read_cpu(backend)
            for place, question in enumerate(questions):
                query = ContextQuery(
                    user=user, text=question, conversation_id=conversation_id, max_tokens=4_000, layers=has_layers
                )
                started, cpu = time.perf_counter(), time.process_time()
                make_parts(query, now=now, pipeline=get_pipeline())
                spent = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - started}
                for name, seconds in spent.items():
                    least = took[name, has_layers]
                    least[place] = min(seconds * 1000, least[place]) if turn else seconds * 1000
            server[has_layers] += _read_cpu(backend) - began
    for name in ("wall", "cpu"):
        without, with_them = (median(took[name, each]) for each in (False, True))
        print(f"a pack, {name}: {without:.1f} ms without episodes, {with_them:.1f} ms with them (p50 of {packs})")
    without, with_them = (server[each] * 1000 / packs / ROUNDS for each in (False, True))
    print(f"a pack, cpu of the database: {without:.1f} and {with_them:.1f} ms (mean)")
    subprocess.run([sys.executable, str(Path(__file__).with_name("plain_view.py"))], check=True)


def _read_cpu(process: int) -> float:
    """Seconds of CPU of a process of this machine."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _clock(name: str) -> Iterator[None]:
    started, cpu = time.perf_counter(), time.process_time()
    yield
    print(f"{name}: {time.process_time() - cpu:.1f} s of CPU here, {time.perf_counter() - started:.1f} s in all")


def measure_cutting(total: int) -> None:
    """Print the CPU seconds that cutting and wording a user of so many messages takes, database apart."""
    messages = make_messages(total)
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
