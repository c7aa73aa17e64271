"""How often questions are taken as follow-ups, and what earlier questions add to a search (SPEC N-5).

    python -m bench.knowledge_followups superseg_validation.jsonl.gz
    script/manage shell -c "from bench.knowledge_followups import run; run('demo', ['2wiki.json.gz'])"

The first reads dialogues, JSON Lines {dialogue} with [BOUNDARY] between topics and [NEWLINE] between turns: the share
of first turns of a new topic that read as if they went on with the last one, with a topic before them and no entity of
their own. The second makes two-turn conversations of a set of passages (bench/knowledge_search.py): a passage is named
by its title, then one of its sentences is asked for with the title left out. Recall of the passage is measured with and
without the first turn as history, and for the set's own questions with another question before them.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

CUT = 5
MAX_QUESTIONS = 300
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def list_turns(path: Path) -> Iterator[tuple[bool, str]]:
    """User turns after the first of each dialogue: whether one is the first of its topic, and its words."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            parts = json.loads(line)["dialogue"].split("[BOUNDARY]")
            for number, part in enumerate(parts):
                turns = [turn.strip() for turn in part.split("[NEWLINE]")]
                said = [turn.partition(":")[2].strip() for turn in turns if turn.startswith("user")]
                yield from ((place == 0, turn) for place, turn in enumerate(said) if number or place)


def measure_dialogues(path: Path) -> tuple[float, float]:
    """The share of first turns of a topic, and of all others, that read as follow-ups."""
    from retrieval.knowledge.planning.followups import points_back
    from retrieval.knowledge.planning.matching import compile_plan
    from retrieval.knowledge.planning.reading import read_question

    plan = compile_plan([])
    taken: dict[bool, list[bool]] = {True: [], False: []}
    for is_first, turn in list_turns(path):
        reading = read_question(turn, hits=[], plan=plan)
        taken[is_first].append(points_back(reading) and not reading.list_names())
    return statistics.fmean(taken[True]), statistics.fmean(taken[False])


def make_conversations(data: dict[str, Any]) -> list[tuple[str, str, Any]]:
    """(first turn, pointed second turn, passage) of passages with sentences that leave their title out."""
    made = []
    for passage in data["passages"]:
        title = {word.lower() for word in re.findall(r"\w+", passage["title"])}
        for sentence in _SENTENCE.split(passage["text"])[1:]:
            words = [word for word in re.findall(r"\w+", sentence) if word.lower() not in title]
            if len(words) >= 6:
                made.append(
                    (f"Tell me about {passage['title']}", f"what about its {' '.join(words[1:5])}", passage["id"])
                )
                break
    return random.Random(7).sample(made, min(MAX_QUESTIONS, len(made)))


def search(tenant_id: Any, name: str, question: str, history: Sequence[str], ids: dict[str, Any]) -> list[Any]:
    """The passages of a question, best first."""
    from django.utils import timezone

    from memory.tenants.scope import tenant_scope
    from retrieval.knowledge.planning.deciding import Switches
    from retrieval.knowledge.search.searching import ask_corpus
    from retrieval.knowledge.search.types import CorpusQuery
    from retrieval.knowledge.selectors.corpora import get_corpus

    with tenant_scope(tenant_id):
        corpus = get_corpus(tenant_id=tenant_id, external_id=name)
        query = CorpusQuery(text=question, top_k=CUT, history=tuple(history))
        found = ask_corpus(corpus, query, switches=Switches(), now=timezone.now())
    return [ids[hit.document_id] for hit in found.hits if hit.document_id]


def run(slug: str, files: Sequence[str]) -> None:
    """Print recall@5 of follow-ups and of questions that stand alone, with and without history."""
    from bench.knowledge_ingest import make_corpus, remove
    from bench.knowledge_search import load_corpus, measure_recall, read_set

    print("| set | follow-ups: alone / with history | others: alone / with history |")
    print("|---|---|---|")
    for file in files:
        data, name = read_set(Path(file)), "bench-followups"
        tenant_id = make_corpus(slug, name, "documents")
        load_corpus(tenant_id, name, data)
        ids = {str(passage["id"]): passage["id"] for passage in data["passages"]}
        figures = []
        asked = [(second, [first], [gold]) for first, second, gold in make_conversations(data)]
        questions = data["questions"]
        before = [questions[place - 1]["q"] for place in range(len(questions))]
        others = [(one["q"], [last], one["gold"]) for one, last in zip(questions, before, strict=True)]
        for turns in (asked, others):
            for with_history in (False, True):
                recalls = [
                    measure_recall(search(tenant_id, name, text, history if with_history else [], ids), gold, CUT)
                    for text, history, gold in turns
                ]
                figures.append(statistics.fmean(recalls))
        pairs = [f"{figures[place]:.3f} / {figures[place + 1]:.3f}" for place in (0, 2)]
        print(f"| {Path(file).name.split('.')[0]} | {pairs[0]} | {pairs[1]} |", flush=True)
        remove(tenant_id, name)


if __name__ == "__main__":
    first, other = measure_dialogues(Path(sys.argv[1]))
    print(f"first turns of a new topic taken as follow-ups: {first:.4f}; other turns: {other:.4f}")
