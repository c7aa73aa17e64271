"""Write-back: what an answer states goes into its project (SPEC J-2, MAAS WriteBack).

What it cites is stored at the level that it has: a statement that repeats a cited fact is that fact, one that says more
is an interpretation of the cited source. What it does not cite is a hypothesis. Nothing is stored twice, and an answer
is no source of itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.projects.selectors.facts import open_fact_versions
from memory.projects.selectors.sources import Reader
from memory.projects.services.decisions import put_decision
from memory.projects.services.facts import FactOutcome, put_facts
from memory.projects.services.history import MAX_TITLE, add_question
from memory.projects.services.links import NewLink, put_link
from memory.projects.services.locking import lock_project, note_change
from memory.projects.services.runs import RunNote, note_run
from memory.projects.types import DecisionBody, FactView, ProjectFactBody, ProjectRef
from memory.projects.words import ProjectWords, list_lexemes, write_value
from patterns.text.statements_of_answers import AnswerSentence, list_answer_sentences

MAX_STATEMENTS: Final = 20
REPEATS: Final = 0.8
"""Share of a fact's words that a sentence must have to be that fact said again."""
FIRST: Final = 10
"""k of hit@k: how many of the first items of a context count."""


@dataclass(frozen=True, slots=True)
class WrittenBack:
    """What became of an answer: ids of what it is stored as."""

    facts: Sequence[FactOutcome] = ()
    decisions: Sequence[UUID] = ()
    links: Sequence[UUID] = ()
    questions: Sequence[str] = ()
    unknown_citations: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Cited:
    """What an answer could cite: facts of its snapshot, and which mark or id stands for which source."""

    facts: Sequence[FactView]
    by_name: Mapping[str, UUID]


def write_back(
    project: ProjectRef,
    *,
    answer: str,
    citations: Sequence[str],
    entries: Sequence[Mapping[str, object]],
    reader: Reader,
    actor: str,
    now: datetime,
) -> WrittenBack:
    """Store what an answer states. `entries`: those of the snapshot that it was made from; the order of its sources
    gives the marks S1, S2, ... Writes. Raises ProjectBusy, ProjectFull.
    """
    started = time.perf_counter()
    locked = lock_project(project)
    cited = _add_named(locked, _read_cited(locked, entries, reader), citations)
    known, unknown = _resolve(citations, cited)
    outcomes, decisions, links, questions = [], [], [], []
    for sentence in list_answer_sentences(answer)[:MAX_STATEMENTS]:
        sources = _find_sources(sentence, cited, known)
        if sentence.is_question:
            questions += _store_question(locked, sentence, now)
        elif sentence.is_decision:
            decisions += _store_decision(locked, sentence, actor, now)
        else:
            outcome, linked = _store_statement(locked, sentence, sources, cited, actor, now)
            outcomes.append(outcome)
            links += linked
    if questions:
        note_change(locked, now=now)
    _note(locked, entries, known, started, now)
    return WrittenBack(outcomes, decisions, links, questions, unknown)


def _read_cited(project: ProjectRef, entries: Sequence[Mapping[str, object]], reader: Reader) -> Cited:
    keys = [(UUID(str(each["i"])), int(str(each["v"]))) for each in entries if each.get("k") == "fact"]
    facts = open_fact_versions(project, keys, reader=reader)
    names: dict[str, UUID] = {}
    order = dict.fromkeys(UUID(str(one)) for each in entries for one in _list(each.get("o")))
    for number, id in enumerate(order, start=1):
        names |= {f"S{number}": id, str(id): id, id.hex: id}
    for fact in facts:
        if fact.sources:
            names.setdefault(fact.external_id, fact.sources[0].id)
    return Cited(facts, names)


_SOURCES_NAMED: Final = "SELECT id FROM project_source WHERE project_id = %s AND id::text = ANY(%s)"
_FACTS_NAMED: Final = """
SELECT i.external_id, f.source_id FROM project_item i
JOIN project_fact f ON f.project_id = i.project_id AND f.id = i.id AND f.known_to IS NULL AND f.source_id IS NOT NULL
WHERE i.project_id = %s AND i.kind = 'fact' AND i.external_id = ANY(%s)
"""


def _add_named(project: ProjectRef, cited: Cited, citations: Sequence[str]) -> Cited:
    """Sources and facts of the project that the caller names by id, of the snapshot or not."""
    names = [name for name in citations if name not in cited.by_name]
    if not names:
        return cited
    found = {str(row[0]): row[0] for row in fetch_rows(_SOURCES_NAMED, [project.id, [name.lower() for name in names]])}
    found |= dict(fetch_rows(_FACTS_NAMED, [project.id, names]))
    return Cited(cited.facts, {**cited.by_name, **found})


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _resolve(citations: Sequence[str], cited: Cited) -> tuple[list[UUID], list[str]]:
    known = [cited.by_name[name] for name in citations if name in cited.by_name]
    return list(dict.fromkeys(known)), [name for name in citations if name not in cited.by_name]


def _find_sources(sentence: AnswerSentence, cited: Cited, known: Sequence[UUID]) -> list[UUID]:
    """The sources that a sentence marks. Only marks of the caller's citations count, where there are some."""
    marked = [cited.by_name[mark] for mark in sentence.marks if mark in cited.by_name]
    return [id for id in dict.fromkeys(marked) if not known or id in known]


def _store_statement(
    project: ProjectRef,
    sentence: AnswerSentence,
    sources: Sequence[UUID],
    cited: Cited,
    actor: str,
    now: datetime,
) -> tuple[FactOutcome, list[UUID]]:
    resting = [fact for fact in cited.facts if {source.id for source in fact.sources} & set(sources)]
    repeated = _find_repeated(sentence, resting or cited.facts)
    if repeated is not None:
        return FactOutcome(repeated.id, repeated.external_id, "renewed", repeated.level, repeated.version), []
    body = ProjectFactBody(subject=sentence.subject, value=sentence.value, level="interpretation")
    source = next((id for id in sources), None)
    outcome = put_facts(
        project, facts=[body], origin="answer", actor=actor, now=now, stored_sources={0: source} if source else {}
    )[0]
    links = [
        put_link(project, link=NewLink(outcome.id, fact.id, "depends", origin="answer"), now=now)[0]
        for fact in resting
        if outcome.action != "renewed" and fact.id != outcome.id
    ]
    return outcome, links


def _find_repeated(sentence: AnswerSentence, facts: Iterable[FactView]) -> FactView | None:
    said = set(list_lexemes(sentence.text))
    for fact in facts:
        own = set(list_lexemes(f"{fact.subject} {write_value(fact.value)}"))
        if own and len(own & said) / len(own) >= REPEATS and set(list_lexemes(write_value(fact.value))) <= said:
            return fact
    return None


def _store_decision(project: ProjectRef, sentence: AnswerSentence, actor: str, now: datetime) -> list[UUID]:
    """An answer's decision is a proposal: nobody has taken it."""
    title = sentence.text[:MAX_TITLE]
    key = ProjectWords(project).key_title(title)
    statement = "SELECT id FROM project_decision WHERE project_id = %s AND title_key = %s AND known_to IS NULL"
    known = fetch_rows(statement, [project.id, key])
    if known:
        return [known[0][0]]
    return [put_decision(project, body=DecisionBody(title=title), origin="answer", actor=actor, now=now)[0]]


def _store_question(project: ProjectRef, sentence: AnswerSentence, now: datetime) -> list[str]:
    text = sentence.text[:MAX_TITLE]
    return [text] if add_question(project, ProjectWords(project), text=text, source_id=None, at=now) else []


def _note(
    project: ProjectRef,
    entries: Sequence[Mapping[str, object]],
    known: Sequence[UUID],
    started: float,
    now: datetime,
) -> None:
    first = {str(one) for each in entries[:FIRST] for one in _list(each.get("o"))}
    hits = sum(id.hex in first for id in known)
    milliseconds = round((time.perf_counter() - started) * 1000, 3)
    note_run(project, RunNote("writeback", milliseconds, cited=len(known), hits=hits), now=now)
