"""A request, normalised: which project it is about, what it wants, what it names, what bounds it (SPEC J-2).

Without a model: the project by thread, by name, or by what its records name; the rest by lists of words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final
from uuid import UUID

from memory.database.statements import fetch_row, fetch_rows
from memory.extraction.model.openai_client import ModelFailed
from memory.projects.metrics import PROJECT_REFUSALS
from memory.projects.modelled.asking import ask_about_request, find_project_model
from memory.projects.modelled.proposals import keep_said
from memory.projects.selectors.projects import find_projects_of_thread, list_projects
from memory.projects.types import ProjectRef, ProjectView
from memory.projects.words import list_lexemes
from patterns.text.data_files import read_lines, read_words
from patterns.text.decisions import list_sentences
from patterns.text.tokens import split_words
from retrieval.knowledge.entities.resolving import resolve_texts
from retrieval.knowledge.errors import CorpusNotFound
from retrieval.knowledge.selectors.corpora import get_corpus
from retrieval.projects.candidates import read_terms

MAX_PROJECTS: Final = 200
MAX_ENTITIES: Final = 20
IN: Final = 0.5
"""Share of a request's words that the records of a project have, from which on it is about the project."""
LEAST_SHARED: Final = 2
OTHER: Final = "other"
_IDENTIFIER: Final = re.compile(r"\b(?=[\w-]*\d)[^\W\d_]{2,}[- ]?\d[\w.-]*\b|[«“\"]([^»”\"]{2,80})[»”\"]")
_CLAUSE: Final = re.compile(r"[^,;]+")
_MATCHED: Final = """
SELECT count(DISTINCT t) FROM (
  SELECT unnest(terms) AS t FROM project_fact WHERE project_id = %(id)s AND known_to IS NULL AND terms && %(terms)s
  UNION ALL
  SELECT unnest(terms) FROM project_decision WHERE project_id = %(id)s AND known_to IS NULL AND terms && %(terms)s
  UNION ALL
  SELECT unnest(terms) FROM project_version WHERE project_id = %(id)s AND known_to IS NULL AND terms && %(terms)s) x
WHERE t = ANY(%(terms)s)
"""
_OWN_TERMS: Final = """
SELECT DISTINCT t FROM (
  SELECT unnest(terms) AS t FROM project_fact WHERE project_id = %(id)s AND known_to IS NULL AND terms && %(terms)s
  UNION ALL
  SELECT unnest(terms) FROM project_decision WHERE project_id = %(id)s AND known_to IS NULL AND terms && %(terms)s
  UNION ALL
  SELECT unnest(terms) FROM project_version WHERE project_id = %(id)s AND known_to IS NULL AND terms && %(terms)s) x
WHERE t = ANY(%(terms)s)
"""


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that a request names, with its place in code points. `corpus` where a registry knows it."""

    text: str
    start: int
    end: int
    type: str = ""
    key: str = ""
    corpus: str = ""


@dataclass(frozen=True, slots=True)
class Normalised:
    """A request as it was understood. `binding`: how the project was found: thread, name, records or given."""

    project_id: str | None
    binding: str | None
    intent: str
    entities: Sequence[Entity]
    constraints: Sequence[str]
    relevance: str
    origin: str = "rule"
    refused: int = 0


def normalise_request(
    *,
    tenant_id: UUID,
    query: str,
    project: ProjectRef | None = None,
    user_id: UUID | None = None,
    conversation: str | None = None,
    corpora: Sequence[str] = (),
) -> Normalised:
    """Understand a request by rules. Reads only. Raises CorpusNotFound."""
    bound, binding, scope = _bind(tenant_id, query, project, user_id, conversation)
    entities = find_entities(tenant_id, query, corpora)
    return Normalised(
        project_id=bound.external_id if bound else None,
        binding=binding,
        intent=find_intent(query),
        entities=entities,
        constraints=list_constraints(query),
        relevance=scope or (_judge(bound, query) if bound else "out"),
    )


def add_model(found: Normalised, *, query: str, tenant_id: UUID) -> Normalised:
    """What a model adds to a request that was understood by rules, where the tenant has one on. No transaction is open.

    Its intent counts; entities and constraints count where they stand in the request, letter by letter. A model that
    fails adds nothing.
    """
    client = find_project_model(tenant_id=tenant_id)
    if client is None:
        return found
    try:
        answer = ask_about_request(client, query)
    except ModelFailed:
        return found
    told = answer if isinstance(answer, dict) else {}
    entities, odd = keep_said(_list(told.get("entities")), text=query)
    constraints, other = keep_said(_list(told.get("constraints")), text=query)
    refused = odd + other
    if refused:
        PROJECT_REFUSALS.labels("not_in_request").inc(refused)
    intent = told.get("intent")
    known = {each.text for each in found.entities}
    added = [Entity(each, query.index(each), query.index(each) + len(each)) for each in entities if each not in known]
    return replace(
        found,
        intent=intent if intent in (*read_intents(), OTHER) else found.intent,
        entities=[*found.entities, *added][:MAX_ENTITIES],
        constraints=list(dict.fromkeys([*found.constraints, *constraints])),
        origin="model",
        refused=refused,
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _bind(
    tenant_id: UUID, query: str, project: ProjectRef | None, user_id: UUID | None, conversation: str | None
) -> tuple[ProjectRef | None, str | None, str | None]:
    views = list_projects(tenant_id=tenant_id, user_id=user_id, limit=MAX_PROJECTS) if project is None else []
    if conversation is not None and user_id is not None:
        threads = find_projects_of_thread(tenant_id=tenant_id, user_id=user_id, conversation=conversation)
        for project_id, scope in threads:
            own = [view.ref for view in views if view.ref.id == project_id] or ([project] if project else [])
            if own and own[0] and own[0].id == project_id:
                return own[0], "given" if project else "thread", None if scope == "mixed" else scope
    if project is not None:
        return project, "given", None
    named = _find_by_name(views, query)
    if named is not None:
        return named, "name", None
    found = _find_by_records(views, query)
    return found, "records" if found else None, None


def _find_by_name(views: Sequence[ProjectView], query: str) -> ProjectRef | None:
    """The project whose whole name is in the request; of several the longest name, of equals none."""
    said = set(list_lexemes(query))
    found = []
    for view in views:
        name = {lexeme for lexeme in list_lexemes(view.name) if ":" not in lexeme[:2]}
        if name and name <= said:
            found.append((len(name), view.ref))
    found.sort(key=lambda each: -each[0])
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1]


def _find_by_records(views: Sequence[ProjectView], query: str) -> ProjectRef | None:
    """The project whose records share most words with the request, two at least; of equals none."""
    shared = []
    for view in views:
        terms = read_terms(view.ref, query).numbers
        count = fetch_row(_MATCHED, {"id": view.ref.id, "terms": terms})[0] if terms else 0
        shared.append((count, view.ref))
    shared.sort(key=lambda each: -each[0])
    if not shared or shared[0][0] < LEAST_SHARED or (len(shared) > 1 and shared[0][0] == shared[1][0]):
        return None
    return shared[0][1]


def _judge(project: ProjectRef, query: str) -> str:
    terms = read_terms(project, query)
    own = (
        {row[0] for row in fetch_rows(_OWN_TERMS, {"id": project.id, "terms": terms.numbers})}
        if terms.groups
        else set()
    )
    share = terms.match(own)
    return "in" if share >= IN else "mixed" if share > 0 else "out"


def find_entities(tenant_id: UUID, query: str, corpora: Sequence[str]) -> list[Entity]:
    """What a request names: entities of the registries, then identifiers and what stands in quotation marks."""
    found = []
    for name in dict.fromkeys(corpora):
        try:
            corpus = get_corpus(tenant_id=tenant_id, external_id=name)
        except CorpusNotFound:
            raise CorpusNotFound(place=corpora.index(name)) from None
        for hit in resolve_texts(corpus_id=corpus.id, texts=[query])[0]:
            if hit.is_strict:
                text = query[hit.start : hit.end]
                found.append(Entity(text, hit.start, hit.end, hit.type, hit.key, name))
    for match in _IDENTIFIER.finditer(query):
        start, end = match.span(1) if match[1] else match.span()
        if not any(each.start < end and start < each.end for each in found):
            found.append(Entity(query[start:end], start, end))
    return sorted(found, key=lambda entity: (entity.start, entity.end))[:MAX_ENTITIES]


def find_intent(query: str) -> str:
    """What is wanted: the intent that most words of the request tell; `other` where none does."""
    words = [word.lower() for word in split_words(query)]
    counts = {intent: sum(word in told for word in words) for intent, told in read_intents().items()}
    best = max(counts, key=lambda intent: counts[intent], default=OTHER)
    return best if counts.get(best) else OTHER


@cache
def read_intents() -> dict[str, frozenset[str]]:
    """The words of each intent."""
    split = [line.partition(":") for line in read_lines("project_intents.txt")]
    return {name: frozenset(words.split()) for name, _, words in split}


def list_constraints(query: str) -> list[str]:
    """Clauses that bound the answer, word for word."""
    cues = read_words("constraint_cues.txt")
    found = []
    for _, _, sentence in list_sentences(query):
        for clause in _CLAUSE.findall(sentence):
            if cues & {word.lower() for word in split_words(clause)}:
                found.append(clause.strip(" .!?؟"))
    return found
