"""What might go into a snapshot, with what it is worth: chosen by ids, opened only as far as it may fit. Reads only."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.projects.questions import find_sides, word_questions
from memory.projects.selectors.decisions import get_decisions, list_held
from memory.projects.selectors.facts import is_supported, open_fact_versions
from memory.projects.selectors.register import EventView, list_events, list_questions
from memory.projects.selectors.sources import Reader, list_authorities, list_evidence
from memory.projects.types import NOW, DecisionView, FactView, ProjectRef, SourceView, When
from memory.projects.words import ProjectWords
from patterns.text.tokens import list_query_terms
from retrieval.projects import weights
from retrieval.projects.lines import write_decision, write_event, write_fact
from retrieval.projects.reading import EventLine, QuestionLine, Shown
from retrieval.projects.sql import CURRENT, DECISIONS, HELD
from retrieval.projects.weights import Signals


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a snapshot is built for."""

    project: ProjectRef
    user_id: UUID
    now: datetime
    query: str = ""
    when: When = NOW
    language: str = "en"

    @property
    def reader(self) -> Reader:
        """Whose words may be quoted."""
        return Reader(self.user_id)

    @property
    def moment(self) -> datetime:
        """The moment whose state is shown."""
        return self.when.as_of or self.when.known_at or self.now


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The words of a question as numbers of the project, grouped by word."""

    groups: tuple[frozenset[int], ...] = ()

    @property
    def numbers(self) -> list[int]:
        """All of them."""
        return sorted({number for group in self.groups for number in group})

    def match(self, terms: Iterable[int]) -> float:
        """The share of the question's words that a record has."""
        if not self.groups:
            return 0.0
        own = set(terms)
        return round(sum(not own.isdisjoint(group) for group in self.groups) / len(self.groups), 6)


@dataclass(frozen=True, slots=True)
class Part:
    """One part that a snapshot may have.

    `entry` is what is stored of it: ids and versions. `text` is what it costs. `shown`: what is read of `entry` later.
    """

    section: str
    id: UUID
    signals: Signals
    entry: dict[str, Any]
    text: str
    shown: Shown


@dataclass(frozen=True, slots=True)
class Candidate:
    """A part before its words are opened. `version` and `evidence` are of a fact; questions are opened at once."""

    section: str
    id: UUID
    signals: Signals
    version: int = 0
    evidence: Sequence[UUID] = ()
    event: EventView | None = None
    part: Part | None = None


def find_candidates(wanted: Wanted, *, most: int = weights.MAX_CONSIDERED) -> list[Candidate]:
    """Facts, decisions, questions and events as of a moment, best first; equal records give an equal order.

    At most `most` facts and as many decisions: more would not fit.
    """
    terms = read_terms(wanted.project, wanted.query) if wanted.query else QueryTerms()
    found = [*_find_facts(wanted, terms, most), *_find_decisions(wanted, terms, most)]
    questions = [Candidate(part.section, part.id, part.signals, part=part) for part in _find_questions(wanted)]
    found += [*questions, *_find_events(wanted)]
    newest = max((each.signals.at for each in found), default=wanted.now)
    return sorted(found, key=lambda each: _rate(each, newest))


def _rate(candidate: Candidate, newest: datetime) -> tuple[float, str, str]:
    return (-round(weights.score(candidate.signals, newest=newest), 9), candidate.section, candidate.id.hex)


def open_parts(wanted: Wanted, candidates: Sequence[Candidate], *, at_once: int) -> Iterator[Part]:
    """The parts of candidates in their order, `at_once` opened together: nobody opens what the budget cannot hold.

    What is hidden is left out.
    """
    decisions: dict[UUID, DecisionView] = {}
    for begin in range(0, len(candidates), at_once):
        batch = candidates[begin : begin + at_once]
        facts = _open_facts(wanted, [each for each in batch if each.section == "facts"])
        decisions |= _open_decisions(wanted, batch, decisions)
        for each in batch:
            part = _make_part(each, facts, decisions, wanted.language)
            if part is not None:
                yield part


def _open_facts(wanted: Wanted, batch: Sequence[Candidate]) -> dict[UUID, FactView]:
    keys = [(each.id, each.version) for each in batch]
    evidence = {each.id: each.evidence for each in batch}
    views = open_fact_versions(wanted.project, keys, reader=wanted.reader, evidence=evidence)
    return {view.id: view for view in views}


def _open_decisions(wanted: Wanted, batch: Sequence[Candidate], known: Container[UUID]) -> dict[UUID, DecisionView]:
    ids = [each.id for each in batch if each.section in ("decisions", "timeline") and each.id not in known]
    views = get_decisions(
        wanted.project, ids=list(dict.fromkeys(ids)), now=wanted.now, reader=wanted.reader, when=wanted.when
    )
    return {view.id: view for view in views if view.title is not None}


def _make_part(
    candidate: Candidate, facts: Mapping[UUID, FactView], decisions: Mapping[UUID, DecisionView], language: str
) -> Part | None:
    id, signals = candidate.id, candidate.signals
    if candidate.part is not None:
        return candidate.part
    if id in facts and candidate.section == "facts":
        text = write_fact(facts[id], language=language)
        return Part("facts", id, signals, _make_fact_entry(facts[id]), text, facts[id])
    if id not in decisions:
        return None
    if candidate.event is not None:
        return _make_event(candidate.event, decisions[id], signals, language)
    text = write_decision(decisions[id], language=language)
    shown = replace(decisions[id], history=(), state=replace(decisions[id].state, source=None))
    return Part("decisions", id, signals, _make_decision_entry(decisions[id]), text, shown)


def read_terms(project: ProjectRef, query: str) -> QueryTerms:
    """The words of a question; spellings of one word are a group."""
    words = ProjectWords(project)
    groups: dict[int, set[int]] = {}
    for term in list_query_terms(query):
        groups.setdefault(term.group, set()).update(words.number_lexemes([term.lexeme]))
    return QueryTerms(tuple(frozenset(group) for group in groups.values()))


def _find_facts(wanted: Wanted, terms: QueryTerms, most: int) -> list[Candidate]:
    values = {
        "project_id": wanted.project.id, "moment": wanted.moment, "known_at": wanted.when.known_at,
        "terms": terms.numbers, "limit": most,
    }  # fmt: skip
    statement = CURRENT if wanted.when == NOW else HELD
    found = fetch_rows(statement, {name: value for name, value in values.items() if f"%({name})s" in statement})
    rows = {row[:2]: row for row in found}  # the newest facts may be those that share most
    evidence = list_evidence(wanted.project, fact_ids=[id for id, _ in rows])
    visible = list_authorities(wanted.project, ids=[one for each in evidence.values() for one in each])
    candidates = []
    for (id, version), (*_, level, status, valid_from, source_id, own) in rows.items():
        cited = evidence.get(id, ())
        if not is_supported(cited, visible, source_id=source_id):
            continue
        authority = max((visible[one] or 0.0 for one in cited if one in visible), default=0.0)
        base = weights.FACT + weights.LEVELS[level] + weights.AUTHORITY * authority
        base += weights.REFUTED if status == "refuted" else 0.0
        signals = Signals(base, valid_from, terms.match(own))
        candidates.append(Candidate("facts", id, signals, version=version, evidence=cited))
    return candidates


def _make_fact_entry(view: FactView) -> dict[str, Any]:
    entry = {"k": "fact", "i": view.id.hex, "v": view.version, **_name_sources(view.sources)}
    if view.contradicts:
        entry["c"] = list(view.contradicts)
    return entry


def _find_decisions(wanted: Wanted, terms: QueryTerms, most: int) -> list[Candidate]:
    """Decisions with the state that holds or held, best first."""
    if wanted.when == NOW:
        rows = fetch_rows(DECISIONS, {
            "project_id": wanted.project.id, "moment": wanted.moment, "terms": terms.numbers, "limit": most,
            "states": json.dumps(weights.STATES), "recency": weights.RECENCY, "closed": list(weights.CLOSED),
            "half_life": weights.HALF_LIFE.total_seconds(),
        })  # fmt: skip
    else:
        rows = list_held(wanted.project, when=wanted.when, now=wanted.now)
    found = []
    for id, at, own, state in rows:
        matched = terms.match(own)
        # Rejected and superseded decisions are shown to those who ask about them, so that nobody repeats them.
        if matched or state not in weights.CLOSED:
            signals = Signals(weights.DECISION + weights.STATES[state], at, matched)
            found.append(Candidate("decisions", id, signals))
    newest = max((each.signals.at for each in found), default=wanted.now)
    return sorted(found, key=lambda each: _rate(each, newest))[:most]


def _make_decision_entry(view: DecisionView) -> dict[str, Any]:
    sources = (view.source,) if view.source else ()
    entry = {"k": "decision", "i": view.id.hex, "v": view.version, "p": view.state.position, **_name_sources(sources)}
    if view.contradicts:
        entry["c"] = list(view.contradicts)
    if view.supersedes:
        entry["u"] = list(view.supersedes)
    return entry


def _name_sources(sources: Sequence[SourceView]) -> dict[str, Any]:
    """Ids of the sources, and of those that are quoted: a thread that is shared later changes no old snapshot."""
    named: dict[str, Any] = {"o": [source.id.hex for source in sources]}
    quoted = [source.id.hex for source in sources if source.quote]
    return named | ({"q": quoted} if quoted else {})


def _find_questions(wanted: Wanted) -> list[Part]:
    questions = list_questions(
        wanted.project, status="open", when=wanted.when, reader=wanted.reader, limit=weights.MAX_QUESTIONS
    )
    if not questions:
        return []
    texts = word_questions(wanted.project, questions, now=wanted.now, reader=wanted.reader, language=wanted.language)
    sides = find_sides(wanted.project, [question.conflict_id for question in questions if question.conflict_id])
    parts = []
    for question in questions:
        text = texts[question.id]
        if not text:
            continue
        entry: dict[str, Any] = {"k": "question", "i": question.id.hex}
        if question.conflict_id:
            entry |= {"n": wanted.language, "w": sides[question.conflict_id]}
        if question.source:
            entry |= _name_sources((question.source,))
        signals = Signals(weights.QUESTION, question.opened_at)
        parts.append(Part("open_questions", question.id, signals, entry, f"- {text}", QuestionLine(question.id, text)))
    return parts


def _find_events(wanted: Wanted) -> list[Candidate]:
    """The latest changes of decisions: the short history of a project."""
    events = list_events(
        wanted.project, as_of=wanted.moment, kind="decision", newest_first=True, has_names=False,
        limit=weights.MAX_EVENTS,
    )  # fmt: skip
    return [Candidate("timeline", each.item_id, Signals(weights.EVENT, each.at), event=each) for each in events]


def _make_event(event: EventView, decision: DecisionView, signals: Signals, language: str) -> Part:
    entry = {
        "k": "event", "i": decision.id.hex, "v": decision.version, "e": event.what, "a": event.at.isoformat(),
        "o": [decision.source.id.hex] if decision.source else [],
    }  # fmt: skip
    shown = EventLine(event.at.isoformat(), event.what, decision.external_id, decision.title or "")
    text = write_event(shown.at, shown.state, shown.title, language=language)
    return Part("timeline", decision.id, signals, entry, text, shown)
