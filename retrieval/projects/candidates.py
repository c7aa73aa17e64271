"""What might go into a snapshot, with what it is worth: chosen by ids, opened only as far as it may fit. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.projects.questions import find_sides, word_questions
from memory.projects.rows import fetch
from memory.projects.selectors.decisions import DecisionFilter, get_decisions, list_decisions
from memory.projects.selectors.facts import IS_VISIBLE, open_fact_versions
from memory.projects.selectors.register import EventView, list_events, list_questions
from memory.projects.selectors.sources import Reader
from memory.projects.types import NOW, DecisionView, FactView, ProjectRef, SourceView, When
from memory.projects.words import ProjectWords
from patterns.text.tokens import list_query_terms
from retrieval.projects import weights
from retrieval.projects.lines import write_decision, write_fact
from retrieval.projects.sql import DECISIONS, write_choice
from retrieval.projects.weights import Signals

ALL_DECISIONS = 20_000


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
    """One part that a snapshot may have. `entry` is what is stored of it: ids and versions. `text` is what it costs."""

    section: str
    id: UUID
    signals: Signals
    entry: dict[str, Any]
    text: str


def find_parts(wanted: Wanted, *, most: int = weights.MAX_CONSIDERED) -> list[Part]:
    """Facts, decisions, questions and events as of a moment, best first; equal records give an equal order.

    `most` of each kind are opened: more would not fit.
    """
    terms = read_terms(wanted.project, wanted.query) if wanted.query else QueryTerms()
    decisions = _list_decisions(wanted, terms, most)
    parts = [*_find_facts(wanted, terms, most), *_find_decisions(wanted, decisions, terms)]
    parts += [*_find_questions(wanted), *_find_events(wanted, {view.id: view for view in decisions})]
    newest = max((part.signals.at for part in parts), default=wanted.now)
    return sorted(
        parts, key=lambda part: (-round(weights.score(part.signals, newest=newest), 9), part.section, part.id.hex)
    )


def read_terms(project: ProjectRef, query: str) -> QueryTerms:
    """The words of a question; spellings of one word are a group."""
    words = ProjectWords(project)
    groups: dict[int, set[int]] = {}
    for term in list_query_terms(query):
        groups.setdefault(term.group, set()).update(words.number_lexemes([term.lexeme]))
    return QueryTerms(tuple(frozenset(group) for group in groups.values()))


def _find_facts(wanted: Wanted, terms: QueryTerms, most: int) -> list[Part]:
    values = {
        "project_id": wanted.project.id, "moment": wanted.moment, "known_at": wanted.when.known_at,
        "terms": terms.numbers, "limit": most,
    }  # fmt: skip
    statement = write_choice(is_past=wanted.when != NOW, visible=IS_VISIBLE)
    rows = fetch(statement, {name: value for name, value in values.items() if f"%({name})s" in statement})
    opened = open_fact_versions(
        wanted.project, [(row[0], row[1]) for row in rows], reader=wanted.reader, is_visible_only=False
    )
    views = {view.id: view for view in opened}
    return [_make_fact(views[row[0]], row, terms, wanted.language) for row in rows if row[0] in views]


def _make_fact(view: FactView, row: tuple[Any, ...], terms: QueryTerms, language: str) -> Part:
    _, _, level, status, valid_from, own_terms, authority = row
    base = weights.FACT + weights.LEVELS[level] + weights.AUTHORITY * (authority or 0.0)
    base += weights.REFUTED if status == "refuted" else 0.0
    entry = {"k": "fact", "i": view.id.hex, "v": view.version, **_name_sources(view.sources)}
    if view.contradicts:
        entry["c"] = list(view.contradicts)
    signals = Signals(base, valid_from, terms.match(own_terms))
    return Part("facts", view.id, signals, entry, write_fact(view, language=language))


def _list_decisions(wanted: Wanted, terms: QueryTerms, most: int) -> list[DecisionView]:
    """The decisions that may fit: those of now are scored before they are opened, those of the past are all opened."""
    if wanted.when != NOW:
        return list_decisions(
            wanted.project,
            wanted=DecisionFilter(),
            when=wanted.when,
            now=wanted.now,
            reader=wanted.reader,
            limit=ALL_DECISIONS,
        )
    rows = fetch(DECISIONS, {"project_id": wanted.project.id, "moment": wanted.moment})
    newest = max((max(row[1], row[4]) for row in rows), default=wanted.now)

    def rate(row: tuple[Any, ...]) -> tuple[float, str]:
        _, decided_at, own, state, at = row
        signals = Signals(weights.DECISION + weights.STATES[state], max(at, decided_at), terms.match(own))
        return (-round(weights.score(signals, newest=newest), 9), row[0].hex)

    best = [row[0] for row in sorted(rows, key=rate)[:most]]
    return get_decisions(wanted.project, ids=best, now=wanted.now, reader=wanted.reader)


def _find_decisions(wanted: Wanted, views: Sequence[DecisionView], terms: QueryTerms) -> list[Part]:
    own = _read_decision_terms(wanted.project, [view.id for view in views]) if terms.groups else {}
    parts = []
    for view in views:
        matched = terms.match(own.get(view.id, ()))
        # What was rejected or superseded is shown to those who ask about it: so that nobody repeats it.
        if view.title is None or (view.state.state in ("rejected", "superseded") and not matched):
            continue
        base = weights.DECISION + weights.STATES[view.state.state]
        signals = Signals(base, max(view.state.at, view.decided_at), matched)
        text = write_decision(view, language=wanted.language)
        parts.append(Part("decisions", view.id, signals, _make_decision_entry(view), text))
    return parts


def _read_decision_terms(project: ProjectRef, ids: Sequence[UUID]) -> dict[UUID, list[int]]:
    statement = "SELECT id, terms FROM project_decision WHERE project_id = %s AND id = ANY(%s) AND known_to IS NULL"
    return dict(fetch(statement, [project.id, list(ids)]))


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
        parts.append(Part("open_questions", question.id, signals, entry, f"- {text}"))
    return parts


def _find_events(wanted: Wanted, decisions: dict[UUID, DecisionView]) -> list[Part]:
    """The latest changes of decisions: the short history of a project."""
    events = [
        event
        for event in list_events(
            wanted.project, as_of=wanted.moment, kind="decision", newest_first=True, limit=weights.MAX_EVENTS
        )
        if event.item_id in decisions and decisions[event.item_id].title
    ]
    return [_make_event(event, decisions[event.item_id]) for event in events]


def _make_event(event: EventView, decision: DecisionView) -> Part:
    entry = {
        "k": "event", "i": decision.id.hex, "v": decision.version, "e": event.what, "a": event.at.isoformat(),
        "o": [decision.source.id.hex] if decision.source else [],
    }  # fmt: skip
    text = f"- {event.at.date()} {event.detail}: {decision.title}"
    return Part("timeline", decision.id, Signals(weights.EVENT, event.at), entry, text)
