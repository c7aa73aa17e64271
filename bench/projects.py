"""Projects: how long a snapshot takes, and how much of what was meant its passages hold.

    script/manage shell < bench/projects.py

A tenant that is rolled back. BENCH_FACTS (5000) and BENCH_DECISIONS (750) size the project of the snapshots.
BENCH_MEETINGS names a file of meetings (JSON Lines: `meeting_transcripts`, `specific_query_list` with
`relevant_text_span`); without it passages are left out. Each meeting is a thread of its own project; the share of the
meant turns inside 2,000 tokens is averaged over the questions.
"""

import gzip
import json
import os
import random
import statistics
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.utils import timezone

from memory.database.statements import fetch_row, fetch_rows
from memory.ids import new_id
from memory.projects.services.decisions import put_decision
from memory.projects.services.facts import put_facts
from memory.projects.services.projects import ProjectInput, bind_thread, make_project
from memory.projects.types import DecisionBody, ProjectFactBody, ProjectRef, SourceBody
from memory.tenants.scope import tenant_scope
from retrieval.evaluation.dataset import LabelledConversation, LabelledMessage
from retrieval.evaluation.metrics import find_percentile
from retrieval.evaluation.runner import ingest_conversations, scratch_tenant
from retrieval.projects.candidates import Wanted
from retrieval.projects.passages import find_passages
from retrieval.projects.snapshots import build_snapshot, refresh

FACTS, DECISIONS = int(os.environ.get("BENCH_FACTS", "5000")), int(os.environ.get("BENCH_DECISIONS", "750"))
MEETINGS = os.environ.get("BENCH_MEETINGS", "")
BUDGET = 2_000
BUILDS = 40
PLAIN = "SELECT id, version, sealed FROM project_fact WHERE project_id = %s AND known_to IS NULL"
START = datetime(2024, 1, 1, tzinfo=UTC)
WORDS = [f"word{number}" for number in range(2_000)]


def make(tenant_id: UUID, name: str) -> ProjectRef:
    content = ProjectInput(name=name, mission="A project to be measured")
    return make_project(tenant_id=tenant_id, external_id=name, user=None, content=content, now=timezone.now())[0]


def fill(project: ProjectRef, draw: random.Random) -> None:
    """Facts and decisions with sources, a hundred documents between them."""
    for begin in range(0, FACTS, 500):
        facts = [
            ProjectFactBody(
                subject=f"{draw.choice(WORDS)} {number}",
                value=" ".join(draw.choices(WORDS, k=8)),
                source=SourceBody(type="document", ref=f"doc-{number % 100}", date="2024-01-01"),
                valid_from=START + timedelta(hours=number),
            )
            for number in range(begin, min(begin + 500, FACTS))
        ]
        put_facts(project, facts=facts, origin="caller", actor="bench", now=timezone.now())
    for number in range(DECISIONS):
        body = DecisionBody(
            title=f"Decide on {draw.choice(WORDS)} {number}",
            description=" ".join(draw.choices(WORDS, k=15)),
            decided_at=START + timedelta(hours=7 * number),
            source=SourceBody(type="document", ref=f"doc-{number % 100}", date="2024-01-01"),
        )
        put_decision(project, body=body, origin="caller", actor="bench", now=timezone.now())


def measure_snapshots(tenant_id: UUID, user_id: UUID) -> None:
    draw = random.Random(1)
    project = make(tenant_id, "speed")
    began = time.perf_counter()
    fill(project, draw)
    print(f"filled with {FACTS} facts and {DECISIONS} decisions in {time.perf_counter() - began:.1f} s")
    times, plain = [], []
    for number in range(BUILDS):
        query = " ".join(draw.choices(WORDS, k=4))
        began = time.perf_counter()
        fetch_rows(PLAIN, [project.id])
        plain.append((time.perf_counter() - began) * 1000)
        wanted = Wanted(refresh(project), user_id, timezone.now() + timedelta(seconds=number), query)
        began = time.perf_counter()
        snapshot = build_snapshot(wanted, budget_tokens=BUDGET)
        times.append((time.perf_counter() - began) * 1000)
    print(
        f"snapshot of {BUDGET} tokens ({len(snapshot.facts)} facts, {len(snapshot.decisions)} decisions):"
        f" p50 {statistics.median(times):.1f} ms, p95 {find_percentile(times, 0.95):.1f} ms;"
        f" a plain query of all facts p50 {statistics.median(plain):.1f} ms,"
        f" so {statistics.median(times) / statistics.median(plain):.1f} times as long"
    )


def read_meetings() -> list[dict[str, Any]]:
    data = Path(MEETINGS).read_bytes()
    text = gzip.decompress(data) if MEETINGS.endswith(".gz") else data
    return [json.loads(line) for line in text.splitlines()]


def measure_passages(tenant_id: UUID) -> None:
    shares: list[float] = []
    times: list[float] = []
    for number, meeting in enumerate(read_meetings()):
        found = ask_meeting(tenant_id, f"meeting-{number}", meeting)
        shares += [share for share, _ in found]
        times += [took for _, took in found]
    print(
        f"passages: {statistics.mean(shares):.3f} of the meant turns inside {BUDGET} tokens over {len(shares)}"
        f" questions, p50 {statistics.median(times):.1f} ms, p95 {find_percentile(times, 0.95):.1f} ms"
    )


def ask_meeting(tenant_id: UUID, name: str, meeting: dict[str, Any]) -> list[tuple[float, float]]:
    """For each question of a meeting: the share of its turns that the passages hold, and the milliseconds it took."""
    messages = tuple(
        LabelledMessage(str(place), "user", turn["speaker"], "", turn["content"], START + timedelta(seconds=10 * place))
        for place, turn in enumerate(meeting["meeting_transcripts"])
        if turn["content"].strip()
    )
    conversations = [LabelledConversation(name, name, messages)]
    scratch = ingest_conversations(tenant_id, conversations, provider=None, now=START)[name]
    row = fetch_row(
        "SELECT u.external_id, c.external_id FROM memory_conversation c JOIN memory_user u ON u.id = c.user_id"
        " WHERE c.user_id = %s",
        [scratch.user.id],
    )
    project = make(tenant_id, name)
    bind_thread(project, user=row[0], conversation=row[1], scope="in", is_shared=False, now=timezone.now())
    found = []
    for question in meeting["specific_query_list"]:
        meant = {
            str(turn)
            for first, last in question["relevant_text_span"]
            for turn in range(int(first), int(last) + 1)
            if turn < len(meeting["meeting_transcripts"])
        }
        began = time.perf_counter()
        passages = find_passages(project, query=question["query"], user_id=scratch.user.id, budget_tokens=BUDGET)
        took = (time.perf_counter() - began) * 1000
        held = {scratch.labels[message.id] for passage in passages for message in passage.messages}
        if meant:
            found.append((len(meant & held) / len(meant), took))
    return found


def run_bench() -> None:
    with scratch_tenant() as tenant_id:
        if MEETINGS:
            measure_passages(tenant_id)
        with tenant_scope(tenant_id):
            user = new_id()
            fetch_rows("INSERT INTO memory_user (tenant_id, id, external_id, created_at) VALUES (%s, %s, 'bench', %s)"
                  " RETURNING id", [tenant_id, user, START])  # fmt: skip
            measure_snapshots(tenant_id, user)


run_bench()
