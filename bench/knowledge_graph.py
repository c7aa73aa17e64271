"""What questions to a graph cost and whether their answers are whole: paths learnt by example, PageRank, many corpora.

    script/manage shell -c "from bench.knowledge_graph import run_paths; run_paths('demo', 'all.tsv.gz', 'q.jsonl.gz')"
    script/manage shell -c "from bench.knowledge_graph import run_large; run_large('demo', edges=1_000_000)"
    script/manage shell -c "from bench.knowledge_graph import run_many; run_many('demo', corpora=100)"

`run_paths` makes a corpus of triples (subject, relation, object), learns half of the example questions with
`learn_intents` and asks the other half. `run_large` writes random edges straight into the tables, so that it measures
reading alone. `run_many` does so for corpora of 10,000 edges, and asks one of them before and after the others came.
All print the figures of a table. What was made is removed. `run_paths` also measures a Django view that does nothing,
between the questions (`plain_view.py`): how fast the machine is just then, beside the one for which the aims were
stated.
"""

from __future__ import annotations

import gc
import gzip
import itertools
import json
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

RELATIONS = {
    "directed by": ("HAS_DIRECTOR", "Person", "director"),
    "written by": ("HAS_WRITER", "Person", "writer"),
    "starred actors": ("HAS_ACTOR", "Person", "actor"),
    "has genre": ("HAS_GENRE", "Genre", "genre"),
    "has tags": ("HAS_TAGS", "Tag", "tag"),
    "release year": ("RELEASED", "Year", "year"),
    "in language": ("IN_LANGUAGE", "Language", "language"),
    "has imdb rating": ("HAS_RATING", "Rating", "rating"),
    "has imdb votes": ("HAS_VOTES", "Votes", "votes"),
}
"""By relation: the kind of its edges, the type of their other end, and what paths call it."""


def read_lines(file: str) -> Iterator[str]:
    """The lines of a file, perhaps gzipped."""
    with (
        gzip.open(file, "rt", encoding="utf-8") if file.endswith(".gz") else Path(file).open(encoding="utf-8") as lines
    ):
        yield from (line.rstrip("\n") for line in lines)


def describe(times: Sequence[float]) -> str:
    """Median and 95th percentile."""
    ordered = sorted(times)
    return f"{statistics.median(ordered):.2f} / {ordered[int(len(ordered) * 0.95)]:.2f}"


def walk(triples: dict[str, dict[str, dict[str, list[str]]]], entity: str, path: str) -> set[str]:
    """The gold answers: what the types of a path lead to over the triples, without the start."""
    types = path.split("_to_")
    reached = {entity}
    for before, after in itertools.pairwise(types):
        table = triples[after if before == "movie" else before]["there" if before == "movie" else "back"]
        reached = {end for start in reached for end in table.get(start, ())} - {entity}
    return reached


def run_paths(slug: str, triples_file: str, questions_file: str, *, most: int = 3_000, keep: bool = False) -> None:
    """Print the share of answer sets that are right, by hops, and what a question costs."""
    from django.core.management import call_command
    from django.utils import timezone

    from bench.knowledge_ingest import make_corpus, remove
    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.planning.plans import open_corpus
    from retrieval.knowledge.planning.switches import read_switches
    from retrieval.knowledge.search.searching import ask_corpus
    from retrieval.knowledge.search.types import CorpusQuery

    rows = [line.split("\t") for line in read_lines(triples_file)]
    name, types = "bench-films", {called for _, _, called in RELATIONS.values()}
    edges = [{"kind": kind, "from": ["Movie"], "to": [label]} for kind, label, _ in RELATIONS.values()]
    schema = {"types": ["Movie", *sorted({label for _, label, _ in RELATIONS.values()})], "edges": edges}
    tenant_id = make_corpus(slug, name, schema)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "films.jsonl"
        file.write_text("\n".join(json.dumps(record) for record in list_films(rows)), encoding="utf-8")
        call_command("import_corpus", str(file), tenant=slug, corpus=name)
        print(f"{len(rows)} triples imported in {time.perf_counter() - began:.0f} s", flush=True)
        examples = [json.loads(line) for line in read_lines(questions_file)]
        random.Random(7).shuffle(examples)
        half = len(examples) // 2
        learnt = Path(folder) / "examples.jsonl"
        learnt.write_text("\n".join(map(json.dumps, examples[:half])), encoding="utf-8")
        call_command("learn_intents", name, str(learnt), tenant=slug, activate=True)
    gold = index_triples(rows, types)
    right: dict[int, list[bool]] = defaultdict(list)
    times: dict[int, list[float]] = defaultdict(list)
    spent: list[float] = []
    plain: list[float] = []
    read_cpu_ms = make_cpu_clock()
    with plain_view_beside() as measure_plain_view:
        gc.freeze()  # as web workers do
        for number, example in enumerate(examples[half : half + most]):
            if number % PLAIN_EVERY == 0:
                plain.append(measure_plain_view())
            began, used = time.perf_counter(), read_cpu_ms()
            with tenant_scope(tenant_id, opens_with_statement=True):
                corpus = open_corpus(tenant_id=tenant_id, external_id=name)
                query = CorpusQuery(text=example["question"])
                found = ask_corpus(corpus, query, switches=read_switches(corpus), now=timezone.now())
            times[example["hops"]].append((time.perf_counter() - began) * 1000)
            spent.append(read_cpu_ms() - used)
            items = {item.text for item in found.result.items} if found.result else set()
            right[example["hops"]].append(items == walk(gold, example["entity"], example["path"]))
    print("| hops | questions | answer sets right | ms p50 / p95 |\n|---|---|---|---|")
    for hops in sorted(right):
        share = statistics.fmean(right[hops])
        print(f"| {hops} | {len(right[hops])} | {share:.3f} | {describe(times[hops])} |", flush=True)
    say_cpu(spent, statistics.median(plain))
    if not keep:
        remove(tenant_id, name)


PLAIN_EVERY = 300
PLAIN_REQUESTS = 1_000


def make_cpu_clock() -> Callable[[], float]:
    """What reads the milliseconds of CPU that this process and its backend have taken together."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = Path(f"/proc/{cursor.fetchone()[0]}/schedstat")
    return lambda: time.process_time() * 1000 + int(backend.read_text().split()[0]) / 1_000_000


def say_cpu(spent: Sequence[float], plain_ms: float) -> None:
    """Print what a question takes in CPU, beside the plain view: the two wait for each other, so that on an idle
    machine it is nearly the time on the clock."""
    from plain_view import STATED_CPU_MS

    print(f"CPU of a question, process and backend: {describe(spent)} ms; of a plain view {plain_ms:.3f} ms")
    print(f"as many plain views: {describe([one / plain_ms for one in spent])}", end="; ")
    print(f"where the aims were stated that is {describe([one / plain_ms * STATED_CPU_MS for one in spent])} ms")


@contextmanager
def plain_view_beside() -> Iterator[Callable[[], float]]:
    """Yield what measures the plain view: milliseconds of CPU a request, with as many clients as for the aims."""
    from connections import HttpConnection, make_request
    from load import Load, find_free_port
    from plain_view import CLIENTS, PATH, serve_plain_view
    from processes import read_group_seconds

    port = find_free_port()
    with serve_plain_view(port) as process:
        connect = HttpConnection.factory("127.0.0.1", port)
        load = Load(CLIENTS, connect, lambda: {"web": read_group_seconds(process)})
        requests = [make_request("GET", PATH, host="127.0.0.1")] * PLAIN_REQUESTS

        def measure() -> float:
            figures = load.run("", requests)
            return figures.cpu["web"] * 1000 / figures.units

        measure()
        yield measure


def list_films(rows: Sequence[Sequence[str]]) -> Iterator[dict[str, Any]]:
    """A record for each subject, with its edges by name."""
    films: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for film, relation, other in rows:
        kind, label, _ = RELATIONS[relation.replace("_", " ")]
        films[film].append({"kind": kind, "to": {"type": label, "key": other}})
    for number, (film, edges) in enumerate(films.items()):
        yield {"id": str(number), "type": "Movie", "key": film, "name": film, "edges": edges}


def index_triples(rows: Sequence[Sequence[str]], types: set[str]) -> dict[str, dict[str, dict[str, list[str]]]]:
    """By type of the other end: films to it, and it to films."""
    index: dict[str, dict[str, dict[str, list[str]]]] = {
        name: {"there": defaultdict(list), "back": defaultdict(list)} for name in types
    }
    for film, relation, other in rows:
        label = RELATIONS[relation.replace("_", " ")][2]
        index[label]["there"][film].append(other)
        index[label]["back"][other].append(film)
    return index


_NODES = """
INSERT INTO knowledge_entity (tenant_id, corpus_id, type, key, name)
SELECT %(tenant)s, %(corpus)s, 'Node', 'n' || n, 'n' || n FROM generate_series(1, %(nodes)s) n
"""
_RECORD = """
INSERT INTO knowledge_record (tenant_id, corpus_id, external_id, entity_id, body, version, ingested_at)
SELECT %(tenant)s, %(corpus)s, 'r', min(id), '{}', 1, now() FROM knowledge_entity WHERE corpus_id = %(corpus)s
RETURNING id, entity_id
"""
_EDGES = """
INSERT INTO knowledge_edge (tenant_id, corpus_id, kind, source_id, target_id, record_id, ordinal, reference)
SELECT %(tenant)s, %(corpus)s, 'LEADS_TO', %(first)s + floor(random() * %(nodes)s)::bigint,
       %(first)s + floor(random() * %(nodes)s)::bigint, %(record)s, n, 'k:Node:n' FROM generate_series(1, %(edges)s) n
"""


def fill_at_random(tenant_id: UUID, name: str, *, nodes: int, edges: int) -> tuple[int, int]:
    """Random edges straight into the tables; (corpus, first entity)."""
    from django.db import connection

    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.selectors.corpora import get_corpus

    with tenant_scope(tenant_id, statement_timeout_ms=600_000), connection.cursor() as cursor:
        corpus = get_corpus(tenant_id=tenant_id, external_id=name).id
        values = {"tenant": tenant_id, "corpus": corpus, "nodes": nodes, "edges": edges}
        cursor.execute(_NODES, values)
        cursor.execute(_RECORD, values)
        record, first = cursor.fetchone()
        cursor.execute(_EDGES, {**values, "record": record, "first": first})
    return corpus, first


def time_hops(tenant_id: UUID, corpus: int, first: int, nodes: int, *, hops: int = 3, asked: int = 200) -> list[float]:
    """Milliseconds of graph queries from random nodes, with the items that they reach."""
    from django.utils import timezone

    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.graph.paths import Step
    from retrieval.knowledge.graph.queries import query_graph
    from retrieval.knowledge.planning.intents import Intent

    intent = Intent("", paths=((Step("LEADS_TO"),) * hops,))
    chance, times = random.Random(7), []
    for _ in range(asked):
        start = first + chance.randrange(nodes)
        with tenant_scope(tenant_id):
            query = partial(query_graph, corpus_id=corpus, intents=[intent], start_ids=[start], as_of=None)
            times.append(clock(partial(query, now=timezone.now())))
    return times


def clock(work: Callable[[], Any]) -> float:
    """Milliseconds that something takes."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


NODE_SCHEMA = {"types": ["Node"], "edges": [{"kind": "LEADS_TO", "from": ["Node"], "to": ["Node"]}]}


def run_large(slug: str, *, edges: int = 1_000_000, degree: int = 5, keep: bool = False) -> None:
    """Print what three hops and PageRank cost in one large corpus."""
    import numpy as np

    from bench.knowledge_ingest import make_corpus, remove
    from retrieval.knowledge.graph.arrays import build_graph
    from retrieval.knowledge.graph.pagerank import rank_nodes

    name, nodes = "bench-large", edges // degree
    tenant_id = make_corpus(slug, name, NODE_SCHEMA)
    corpus, first = fill_at_random(tenant_id, name, nodes=nodes, edges=edges)
    times = time_hops(tenant_id, corpus, first, nodes)
    print(f"{edges} edges, 3 hops from a node of degree {degree}: {describe(times)} ms")
    chance = np.random.default_rng(7)
    ends, others = chance.integers(0, nodes, edges), chance.integers(0, nodes, edges)
    graph = build_graph(ends, others, np.ones(edges, dtype=np.float32))
    seeds = np.zeros(len(graph), dtype=np.float32)
    seeds[:2] = 0.5
    times = [clock(lambda: rank_nodes(graph, seeds, damping=0.7)) for _ in range(30)]
    print(f"PageRank over {edges} edges: {describe(times)} ms", flush=True)
    if not keep:
        remove(tenant_id, name)


def run_many(slug: str, *, corpora: int = 1_000, edges: int = 10_000, degree: int = 5) -> None:
    """Print what three hops cost in a small corpus, alone and with many others beside it."""
    from bench.knowledge_ingest import make_corpus, remove

    nodes = edges // degree
    schema, names = NODE_SCHEMA, [f"bench-{number}" for number in range(corpora + 1)]
    tenant_id = make_corpus(slug, names[0], schema)
    corpus, first = fill_at_random(tenant_id, names[0], nodes=nodes, edges=edges)
    time_hops(tenant_id, corpus, first, nodes)
    print(f"one corpus of {edges} edges, 3 hops: {describe(time_hops(tenant_id, corpus, first, nodes))} ms", flush=True)
    for name in names[1:]:
        make_corpus(slug, name, NODE_SCHEMA)
        fill_at_random(tenant_id, name, nodes=nodes, edges=edges)
    time_hops(tenant_id, corpus, first, nodes)
    print(f"with {corpora} others: {describe(time_hops(tenant_id, corpus, first, nodes))} ms", flush=True)
    for name in names:
        remove(tenant_id, name)
