"""Two snapshots of a project held against each other, as data and in words (SPEC J-3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memory.projects.types import DecisionView, FactView
from memory.projects.words import write_value
from retrieval.projects.reading import Snapshot

_WORDS: Final = {
    ("fact", "added"): "New: {now}.",
    ("fact", "removed"): "No longer there: {before}.",
    ("fact", "changed"): "{name} was {before} and is {now}.",
    ("decision", "added"): "New decision: {now}.",
    ("decision", "removed"): "Decision no longer there: {before}.",
    ("decision", "changed"): "Decision {name}: was {before}, is {now}.",
    ("question", "added"): "New question: {now}",
    ("question", "removed"): "Question closed: {before}",
    ("project", "changed"): "{name} of the project was “{before}” and is “{now}”.",
}


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `before` and `now` are words, None where there was or is nothing."""

    type: str
    id: str
    change: str
    before: str | None
    now: str | None
    text: str


def compare_snapshots(one: Snapshot, other: Snapshot) -> list[Change]:
    """What is otherwise in `other` than in `one`: the project, facts, decisions, questions. Pure."""
    changes = []
    for name in ("status", "mission"):
        before, now = getattr(one, name), getattr(other, name)
        if before != now:
            changes.append(_make("project", name, "changed", before, now, name=name))
    changes += _compare("fact", _list_facts(one), _list_facts(other))
    changes += _compare("decision", _list_decisions(one), _list_decisions(other))
    return changes + _compare("question", _list_questions(one), _list_questions(other))


def _compare(kind: str, before: Mapping[str, tuple[str, str]], now: Mapping[str, tuple[str, str]]) -> list[Change]:
    changes = []
    for id in dict.fromkeys([*before, *now]):
        old, new = before.get(id), now.get(id)
        if old == new:
            continue
        what = "added" if old is None else "removed" if new is None else "changed"
        name = (new or old or ("", ""))[0]
        told = (old[1] if old else None, new[1] if new else None)
        if what != "changed" and kind != "question":
            told = (f"{name}: {told[0]}" if old else None, f"{name}: {told[1]}" if new else None)
        changes.append(_make(kind, id, what, *told, name=name))
    return changes


def _make(kind: str, id: str, change: str, before: str | None, now: str | None, *, name: str) -> Change:
    text = _WORDS[kind, change].format(name=name, before=before, now=now)
    return Change(kind, id, change, before, now, text)


def _list_facts(snapshot: Snapshot) -> dict[str, tuple[str, str]]:
    return {fact.external_id: (fact.subject, _describe_fact(fact)) for fact in snapshot.facts}


def _describe_fact(fact: FactView) -> str:
    notes: Sequence[str] = [fact.level, *(["refuted"] if fact.status == "refuted" else [])]
    return f"{write_value(fact.value)} ({', '.join(notes)})"


def _list_decisions(snapshot: Snapshot) -> dict[str, tuple[str, str]]:
    return {each.external_id: (each.title or "", _describe_decision(each)) for each in snapshot.decisions}


def _describe_decision(decision: DecisionView) -> str:
    by = f" by {decision.state.superseded_by}" if decision.state.superseded_by else ""
    return f"{decision.state.state}{by}"


def _list_questions(snapshot: Snapshot) -> dict[str, tuple[str, str]]:
    return {str(question.id): ("question", question.text) for question in snapshot.open_questions}
