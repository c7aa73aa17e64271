"""How long a search and an ingest take: `script/manage shell < bench/retrieval_search.py`, or with Django set up.

Made-up messages of a tenant that is rolled back; sizes by BENCH_SIZES (default "100,1000,5000"). Prints milliseconds.
"""

import os
import random
import statistics
import time
from datetime import UTC, datetime, timedelta

from memory.ids import new_id
from retrieval.configuration import get_pipeline
from retrieval.evaluation.dataset import LabelledConversation, LabelledMessage
from retrieval.evaluation.metrics import find_percentile
from retrieval.evaluation.runner import ingest_conversations, scratch_tenant
from retrieval.stages import SearchPlan, find_ranked, prepare_question

WORDS = [f"word{n}" for n in range(4_000)]
SEARCHES = 40
START = datetime(2026, 1, 1, tzinfo=UTC)


def make_conversation(count: int, draw: random.Random) -> LabelledConversation:
    """Turns of 35 words with a Zipf-like vocabulary, half a minute apart, a new session every 20."""
    weights = [1 / (rank + 5) for rank in range(len(WORDS))]
    messages = [
        LabelledMessage(
            id=str(n),
            role="user" if n % 2 == 0 else "assistant",
            speaker="",
            session="",
            text=" ".join(draw.choices(WORDS, weights, k=35)),
            said_at=START + timedelta(seconds=30 * n, hours=n // 20),
        )
        for n in range(count)
    ]
    return LabelledConversation(str(new_id()), "bench", tuple(messages))


def run(count: int) -> None:
    """Ingest `count` messages, search 40 times, print both."""
    draw = random.Random(count)
    pipeline, now = get_pipeline(), datetime.now(UTC)
    with scratch_tenant() as tenant_id:
        started = time.perf_counter()
        users = ingest_conversations(tenant_id, [make_conversation(count, draw)], provider=pipeline.provider, now=now)
        ingest_ms = (time.perf_counter() - started) * 1000
        wall, cpu = [], []
        for _ in range(SEARCHES):
            prepared = prepare_question(text=" ".join(draw.choices(WORDS, k=6)), provider=pipeline.provider)
            plan = SearchPlan(user=users["bench"].user, prepared=prepared, recipe=pipeline.recipe, now=now)
            began, spent = time.perf_counter(), time.process_time()
            find_ranked(plan)
            wall.append((time.perf_counter() - began) * 1000)
            cpu.append((time.process_time() - spent) * 1000)
    print(
        f"{count:6d} messages: ingest {ingest_ms / count:.2f} ms each; search p50 {statistics.median(wall):.1f}, "
        f"p95 {find_percentile(wall, 0.95):.1f} ms, of it Python {statistics.median(cpu):.1f} ms"
    )


for size in os.environ.get("BENCH_SIZES", "100,1000,5000").split(","):
    run(int(size))
