"""How long a search and an ingest take: `script/manage shell < bench/retrieval_search.py`, or with Django set up.

Made-up messages of a tenant that is rolled back; sizes by BENCH_SIZES (default "100,1000,5000"). BENCH_USER=tenant:user
(our ids) measures a stored user instead, whose tables are vacuumed as in service, so that indexes answer alone. Prints
milliseconds: wall, CPU of the database and of this process, and the floor, the search's one statement alone.
"""

import os
import random
import statistics
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

from django.db import connection

from memory.ids import new_id
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from retrieval.configuration import get_pipeline
from retrieval.evaluation.dataset import LabelledConversation, LabelledMessage
from retrieval.evaluation.metrics import find_percentile
from retrieval.evaluation.runner import ingest_conversations, scratch_tenant
from retrieval.search.stages import SearchPlan, find_ranked, prepare_question
from retrieval.search.statement import read_index

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


def read_backend_ms() -> float:
    """CPU that the connection's backend has spent, in milliseconds (Linux, database on this machine; else 0)."""
    stat = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    return int(stat.read_text().split()[0]) / 1e6 if stat.exists() else 0.0


def measure_floor(plan: SearchPlan) -> float:
    """Milliseconds of the plan's statement with its answer unpacked: no matching, no fusion, no candidates."""
    began = time.perf_counter()
    read_index(user=plan.user, vector=plan.prepared.vector)
    return (time.perf_counter() - began) * 1000


def measure(name: str, user: UserRef, draw: random.Random) -> None:
    """Search 40 times inside the open tenant scope and print."""
    pipeline = get_pipeline()
    wall, cpu, backend, floor = [], [], [], []
    for _ in range(SEARCHES):
        prepared = prepare_question(text=" ".join(draw.choices(WORDS, k=6)), provider=pipeline.provider)
        plan = SearchPlan(user=user, prepared=prepared, recipe=pipeline.recipe, now=datetime.now(UTC))
        began, spent, served = time.perf_counter(), time.process_time(), read_backend_ms()
        find_ranked(plan)
        wall.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - spent) * 1000)
        backend.append(read_backend_ms() - served)
        floor.append(measure_floor(plan))
    print(
        f"{name}: search p50 {statistics.median(wall):.1f}, p95 {find_percentile(wall, 0.95):.1f}; "
        f"CPU database {statistics.median(backend):.1f}, Python {statistics.median(cpu):.1f}; "
        f"floor p50 {statistics.median(floor):.1f}"
    )


def run(count: int) -> None:
    """Ingest `count` messages, search them, print both."""
    draw = random.Random(count)
    with scratch_tenant() as tenant_id:
        started = time.perf_counter()
        users = ingest_conversations(
            tenant_id, [make_conversation(count, draw)], provider=get_pipeline().provider, now=datetime.now(UTC)
        )
        ingest_ms = (time.perf_counter() - started) * 1000
        measure(f"{count:6d} messages, ingest {ingest_ms / count:.2f} ms each", users["bench"].user, draw)


if os.environ.get("BENCH_USER"):
    tenant_id, user_id = map(UUID, os.environ["BENCH_USER"].split(":"))
    with tenant_scope(tenant_id):
        measure("stored user", UserRef(id=user_id, tenant_id=tenant_id), random.Random(7))
else:
    for size in os.environ.get("BENCH_SIZES", "100,1000,5000").split(","):
        run(int(size))
