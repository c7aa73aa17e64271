"""Recall of text search over a corpus on sets of the papers, beside BM25, and what a question costs.

    script/manage shell -c "from bench.knowledge_search import run; run('demo', ['2wiki.json.gz'])"
    python bench/knowledge_search.py --help

A set is JSON, perhaps gzipped: {passages: [{id, title, text}], questions: [{id, q, gold: [passage id], type}]}. It is
ingested as a corpus of documents of its own, asked with no model, and removed. BM25 is bm25s with defaults over title
and text, English stop words and Snowball stems. The table has the papers' figures for the same sets; theirs are over
the whole corpora of the papers, so compare the gain over BM25.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

CUTS = (2, 5, 10)
PUBLISHED = (
    # recall@5 on 2Wiki's corpus of 6,119 passages, as the papers print it
    ("BM25 on that corpus", "0.665"),
    ("HippoRAG 2 (70B model, 7B encoder)", "0.904"),
    ("GFM-RAG", "0.956"),
)


def read_set(path: Path) -> dict[str, Any]:
    """A set of passages and questions."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    loaded: dict[str, Any] = json.loads(data)
    return loaded


def measure_recall(ranked: Sequence[Any], gold: Sequence[Any], cut: int) -> float:
    """The share of the gold passages among the first of a ranking."""
    return len(set(ranked[:cut]) & set(gold)) / len(gold)


def rank_by_bm25(data: dict[str, Any]) -> list[list[Any]]:
    """The passages of each question by bm25s."""
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    texts = [f"{passage['title']} {passage['text']}" for passage in data["passages"]]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    ids = [passage["id"] for passage in data["passages"]]
    ranked = []
    for question in data["questions"]:
        tokens = bm25s.tokenize([question["q"]], stopwords="en", stemmer=stemmer, show_progress=False)
        places, _ = index.retrieve(tokens, k=min(max(CUTS), len(ids)), show_progress=False)
        ranked.append([ids[place] for place in places[0]])
    return ranked


def load_corpus(tenant_id: Any, name: str, data: dict[str, Any]) -> float:
    """Ingest the passages as documents; how many seconds it took."""
    from django.utils import timezone

    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.ingest.types import DocumentBody
    from retrieval.knowledge.services.corpora import put_corpus
    from retrieval.knowledge.services.ingesting import ingest

    started = time.perf_counter()
    with tenant_scope(tenant_id):
        put_corpus(
            tenant_id=tenant_id, external_id=name, name=name, schema="documents", settings=None, now=timezone.now()
        )
    passages = data["passages"]
    for start in range(0, len(passages), 500):
        documents = [
            DocumentBody(id=str(one["id"]), title=one["title"], text=one["text"])
            for one in passages[start : start + 500]
        ]
        with tenant_scope(tenant_id):
            ingest(tenant_id=tenant_id, corpus=name, documents=documents, records=[], now=timezone.now())
    return time.perf_counter() - started


def rank_by_search(tenant_id: Any, name: str, data: dict[str, Any]) -> tuple[list[list[Any]], list[float]]:
    """The passages of each question by the service, and milliseconds a question."""
    from django.utils import timezone

    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.planning.deciding import Switches
    from retrieval.knowledge.search.searching import ask_corpus
    from retrieval.knowledge.search.types import CorpusQuery
    from retrieval.knowledge.selectors.corpora import get_corpus

    ids = {str(passage["id"]): passage["id"] for passage in data["passages"]}
    ranked, times = [], []
    for question in data["questions"]:
        started = time.perf_counter()
        with tenant_scope(tenant_id):
            corpus = get_corpus(tenant_id=tenant_id, external_id=name)
            query = CorpusQuery(text=question["q"], top_k=max(CUTS))
            found = ask_corpus(corpus, query, switches=Switches(), now=timezone.now())
        times.append((time.perf_counter() - started) * 1000)
        ranked.append([ids[hit.document_id] for hit in found.hits if hit.document_id])
    return ranked, times


def run(slug: str, files: Sequence[str], *, keep: bool = False) -> None:
    """Print the table."""
    from memory.tenants.scope import tenant_scope
    from memory.tenants.selectors import get_tenant
    from retrieval.knowledge.services.removing import remove_corpus

    tenant_id = get_tenant(slug=slug).id
    print("| set | passages | ingest s | BM25 R@2 / R@5 / R@10 | ours R@2 / R@5 / R@10 | gain R@5 | ms p50 / p95 |")
    print("|---|---|---|---|---|---|---|")
    for file in files:
        data, name = read_set(Path(file)), f"bench-{Path(file).name.split('.')[0]}"
        seconds = load_corpus(tenant_id, name, data)
        ours, times = rank_by_search(tenant_id, name, data)
        theirs = rank_by_bm25(data)
        print(describe_line(data, name, seconds, theirs, ours, times), flush=True)
        if not keep:
            with tenant_scope(tenant_id):
                remove_corpus(tenant_id=tenant_id, corpus=name)
    for name, figure in PUBLISHED:
        print(f"| 2Wiki, papers: {name} | 6119 | | | R@5 {figure} | | |")


def describe_line(
    data: dict[str, Any],
    name: str,
    seconds: float,
    theirs: list[list[Any]],
    ours: list[list[Any]],
    times: list[float],
) -> str:
    """A line of the table."""

    def average(ranked: list[list[Any]], cut: int) -> float:
        pairs = zip(ranked, data["questions"], strict=True)
        return statistics.fmean(measure_recall(one, question["gold"], cut) for one, question in pairs)

    base, own = ([average(ranked, cut) for cut in CUTS] for ranked in (theirs, ours))
    ordered = sorted(times)
    figures = (
        f"{name} | {len(data['passages'])} | {seconds:.1f}",
        " / ".join(f"{one:.3f}" for one in base),
        " / ".join(f"{one:.3f}" for one in own),
        f"{own[1] - base[1]:+.3f}",
        f"{statistics.median(times):.1f} / {ordered[int(len(ordered) * 0.95)]:.1f}",
    )
    return f"| {' | '.join(figures)} |"


def main() -> None:
    """Run on the servers that the environment names (`script/manage shell` brings its own)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="sets of passages and questions")
    parser.add_argument("--tenant", default="demo", help="slug of the tenant that the corpora are made in")
    parser.add_argument("--keep", action="store_true", help="leave the corpora there")
    options = parser.parse_args()
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")
    django.setup()
    run(options.tenant, options.files, keep=options.keep)


if __name__ == "__main__":
    main()
