"""What it costs to fill a corpus and to read names in texts: seconds, and rows a second.

    script/manage shell -c "from bench.knowledge_ingest import run; run('demo', ['2wiki.json.gz', 'musique.json.gz'])"
    script/manage shell -c "from bench.knowledge_ingest import run_edges; run_edges('demo', edges=1_000_000)"
    script/manage shell -c "from bench.knowledge_ingest import run_deletes; run_deletes('demo', ['2wiki.json.gz'])"

A set is JSON, perhaps gzipped: {passages: [{id, title, text}]}. `run` ingests the passages of all sets as one corpus
without types, each batch of 500 in a transaction, as the API does, and resolves 500 of their sentences at once.
`run_edges` ingests records with random edges, and prints the memory of the process. `run_deletes` deletes random
documents one by one, ingests them again in another order, and compares what is derived with fresh builds, by hash. What
was made is removed.
"""

from __future__ import annotations

import random
import resource
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

BATCH = 500
REPEATS = 7


def list_documents(files: Sequence[str], *, most: int) -> list[Any]:
    """The passages of sets as documents, each title once, so many at most."""
    from bench.knowledge_search import read_set
    from retrieval.knowledge.ingest.types import DocumentBody

    documents = {}
    for number, file in enumerate(files):
        for passage in read_set(Path(file))["passages"]:
            name = f"{number}-{passage['id']}"
            documents[name] = DocumentBody(id=name, title=passage["title"], text=passage["text"])
    return list(documents.values())[:most]


def fill(tenant_id: UUID, name: str, documents: Sequence[Any], records: Sequence[Any] = ()) -> list[float]:
    """Ingest in batches; the seconds of each."""
    from django.utils import timezone

    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.services.ingesting import ingest

    seconds = []
    for start in range(0, max(len(documents), len(records)), BATCH):
        began = time.perf_counter()
        batch, typed = documents[start : start + BATCH], records[start : start + BATCH]
        with tenant_scope(tenant_id):
            ingest(tenant_id=tenant_id, corpus=name, documents=batch, records=typed, now=timezone.now())
        seconds.append(time.perf_counter() - began)
    return seconds


def make_corpus(slug: str, name: str, schema: Any) -> UUID:
    """An empty corpus of a schema that ships or of its own; the tenant's id."""
    import msgspec
    from django.utils import timezone

    from memory.tenants.scope import tenant_scope
    from memory.tenants.selectors import get_tenant
    from retrieval.knowledge.schemas.schema import SchemaBody
    from retrieval.knowledge.services.corpora import put_corpus

    tenant_id = get_tenant(slug=slug).id
    schema = msgspec.convert(schema, SchemaBody) if isinstance(schema, dict) else schema
    with tenant_scope(tenant_id):
        put_corpus(tenant_id=tenant_id, external_id=name, name=name, schema=schema, settings=None, now=timezone.now())
    return tenant_id


def remove(tenant_id: UUID, name: str) -> float:
    """Delete a corpus; how many seconds it took."""
    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.services.removing import remove_corpus

    began = time.perf_counter()
    with tenant_scope(tenant_id, statement_timeout_ms=600_000):
        remove_corpus(tenant_id=tenant_id, corpus=name)
    return time.perf_counter() - began


def time_resolving(tenant_id: UUID, name: str, documents: Sequence[Any]) -> list[float]:
    """Milliseconds to resolve 500 sentences at once, several times with other sentences."""
    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.entities.resolving import resolve_texts
    from retrieval.knowledge.selectors.corpora import get_corpus

    sentences = [sentence for document in documents for sentence in document.text.split(". ")]
    chance = random.Random(7)
    times = []
    for _ in range(REPEATS):
        texts = chance.sample(sentences, min(500, len(sentences)))
        began = time.perf_counter()
        with tenant_scope(tenant_id):
            corpus = get_corpus(tenant_id=tenant_id, external_id=name)
            resolve_texts(corpus_id=corpus.id, texts=texts)
        times.append((time.perf_counter() - began) * 1000)
    return times


def run(slug: str, files: Sequence[str], *, most: int = 6_000, keep: bool = False) -> None:
    """Print what documents cost."""
    name = "bench-ingest"
    documents = list_documents(files, most=most)
    tenant_id = make_corpus(slug, name, "documents")
    seconds = fill(tenant_id, name, documents)
    total = sum(seconds)
    print(f"documents {len(documents)}, seconds {total:.1f}, a second {len(documents) / total:.0f}")
    print(f"last batch / first batch {seconds[-2] / seconds[0]:.2f}, slowest batch {max(seconds):.2f} s")
    times = time_resolving(tenant_id, name, documents)
    print(f"500 texts resolved: p50 {statistics.median(times):.0f} ms, best {min(times):.0f}, worst {max(times):.0f}")
    if not keep:
        print(f"removed in {remove(tenant_id, name):.1f} s")


def list_records(count: int, edges: int) -> Iterator[Any]:
    """Records of one type, each with edges to random others."""
    from retrieval.knowledge.ingest.types import EdgeBody, RecordBody, TargetBody

    chance = random.Random(7)
    each = edges // count
    for number in range(count):
        to = [TargetBody(type="Node", key=f"n{chance.randrange(count)}") for _ in range(each)]
        yield RecordBody(
            id=str(number),
            type="Node",
            key=f"n{number}",
            name=f"Node {number}",
            edges=[EdgeBody(kind="LEADS_TO", to=target) for target in to],
        )


def run_edges(slug: str, *, edges: int = 1_000_000, records: int = 50_000, keep: bool = False) -> None:
    """Print what records with edges cost, and the largest size of the process."""
    name = "bench-edges"
    schema = {"types": ["Node"], "edges": [{"kind": "LEADS_TO", "from": ["Node"], "to": ["Node"]}]}
    tenant_id = make_corpus(slug, name, schema)
    seconds = fill(tenant_id, name, [], list(list_records(records, edges)))
    total = sum(seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"records {records}, edges {edges}, seconds {total:.1f}, edges a second {edges / total:.0f}")
    print(f"last batch / first batch {seconds[-1] / seconds[0]:.2f}, largest size {peak:.0f} MB")
    if not keep:
        print(f"removed in {remove(tenant_id, name):.1f} s")


def run_deletes(slug: str, files: Sequence[str], *, deletes: int = 1_000, most: int = 6_000) -> None:
    """Print which derived rows differ from a fresh build after the deletes, and after all came again: none should."""
    documents = list_documents(files, most=most)
    chance = random.Random(7)
    gone = chance.sample(documents, deletes)
    kept = [document for document in documents if document not in gone]
    tenant_id = make_corpus(slug, "bench-lived", "documents")
    fill(tenant_id, "bench-lived", documents)
    times = [time_delete(tenant_id, "bench-lived", document.id) for document in gone]
    each, total = statistics.median(times), sum(times) / 1000
    print(f"{len(documents)} documents, {deletes} deleted: {each:.0f} ms each, {total:.0f} s", flush=True)
    print(f"differ after the deletes: {list_different(slug, kept)}", flush=True)
    chance.shuffle(gone)
    fill(tenant_id, "bench-lived", gone)
    print(f"differ after they came again: {list_different(slug, documents)}", flush=True)
    remove(tenant_id, "bench-lived")


def time_delete(tenant_id: UUID, name: str, document_id: str) -> float:
    """Milliseconds to delete a document in a transaction of its own."""
    from django.utils import timezone

    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.services.removing import remove_document

    began = time.perf_counter()
    with tenant_scope(tenant_id):
        remove_document(tenant_id=tenant_id, corpus=name, external_id=document_id, now=timezone.now())
    return (time.perf_counter() - began) * 1000


def list_different(slug: str, documents: Sequence[Any]) -> list[str]:
    """Kinds of derived rows in which the corpus that lived is not what a fresh build of the documents is."""
    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.selectors.corpora import get_corpus
    from retrieval.knowledge.selectors.fingerprints import fingerprint_corpus

    tenant_id = make_corpus(slug, "bench-fresh", "documents")
    fill(tenant_id, "bench-fresh", documents)
    hashes = []
    for name in ("bench-lived", "bench-fresh"):
        with tenant_scope(tenant_id, statement_timeout_ms=600_000):
            corpus = get_corpus(tenant_id=tenant_id, external_id=name)
            hashes.append(fingerprint_corpus(corpus_id=corpus.id))
    remove(tenant_id, "bench-fresh")
    return sorted(kind for kind, digest in hashes[0].items() if hashes[1][kind] != digest)
