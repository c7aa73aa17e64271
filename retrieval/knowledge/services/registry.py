"""What a person decides about names and entities: confirm, refuse, merge, split; each a row that is undone (SPEC N-2).

Nothing is lost: names that were refused and entities that were merged stay as rows, and what follows from a decision
(edges, mentions) is worked out anew from records and texts. Call inside a tenant scope. Everything here writes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.database.statements import execute, fetch_rows
from memory.errors import Conflict, InvalidRequest, NotFound
from memory.ids import new_id
from retrieval.knowledge.entities.patterns import list_alias_keys
from retrieval.knowledge.ingest.deriving import derive_entities, write_aliases
from retrieval.knowledge.ingest.drafts import list_own_references, make_key
from retrieval.knowledge.ingest.mention_rows import read_for_names, update_mentions
from retrieval.knowledge.ingest.references import point_edges_again
from retrieval.knowledge.services.locking import lock_corpus
from retrieval.knowledge.services.versions import find_next_version, raise_version
from retrieval.knowledge.types import Changes, CorpusRef

MAX_NAME: Final = 500
_FIND: Final = """
SELECT id, type, key, name, merged_into_id FROM knowledge_entity WHERE corpus_id = %s AND id = ANY(%s)
"""
_LOG: Final = """
INSERT INTO knowledge_registry_action
  (tenant_id, corpus_id, id, kind, entity_id, other_id, text, before, reason, staff_id, made_at)
VALUES (%(tenant_id)s, %(corpus_id)s, %(id)s, %(kind)s, %(entity)s, %(other)s, %(text)s, %(before)s, %(reason)s,
  %(staff)s, %(now)s)
"""
_SET_STATUS: Final = """
UPDATE knowledge_alias SET status = %(status)s
WHERE corpus_id = %(corpus_id)s AND entity_id = %(entity)s AND text = %(text)s
"""
_DELETE_ADDED: Final = """
DELETE FROM knowledge_alias WHERE corpus_id = %s AND entity_id = %s AND text = %s AND kind = 'person'
"""
_INSERT_ENTITY: Final = """
INSERT INTO knowledge_entity (tenant_id, corpus_id, type, key, name, is_bare)
VALUES (%(tenant_id)s, %(corpus_id)s, %(type)s, %(key)s, %(name)s, true)
ON CONFLICT ON CONSTRAINT a_key_is_one_entity_of_a_type DO NOTHING RETURNING id
"""
_POINT_SOURCES: Final = """
UPDATE knowledge_edge g SET source_id = coalesce(e.merged_into_id, e.id)
FROM knowledge_record r JOIN knowledge_entity e ON e.corpus_id = r.corpus_id AND e.id = r.entity_id
WHERE g.corpus_id = %(corpus_id)s AND r.corpus_id = g.corpus_id AND g.record_id = r.id AND r.entity_id = ANY(%(ids)s)
"""
_LIST_NAMES: Final = "SELECT entity_id, text FROM knowledge_alias WHERE corpus_id = %s AND entity_id = ANY(%s)"
_LIST_CHUNKS: Final = "SELECT DISTINCT chunk_id FROM knowledge_mention WHERE corpus_id = %s AND entity_id = ANY(%s)"


@dataclass(frozen=True, slots=True)
class Person:
    """Who decides, why and when."""

    staff_id: int
    now: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Entity:
    id: int
    type: str
    key: str
    name: str
    merged_into_id: int | None


def decide_name(*, tenant_id: UUID, corpus: str, entity_id: int, text: str, is_name: bool, person: Person) -> UUID:
    """Say that a text is a name of an entity, or that it is none. From now on it links, or is never taken for it.

    Raises CorpusNotFound, NotFound, InvalidRequest for a text that can be no name.
    """
    locked = lock_corpus(tenant_id=tenant_id, external_id=corpus)
    entity, text = _find_entity(locked, entity_id), _clean(text)
    before = _set_status(locked, entity.id, text, "confirmed" if is_name else "refused")
    kind = "confirm" if is_name else "refuse"
    action = _log(locked, kind, person, entity=entity.id, text=text, before={"status": before})
    _finish(locked, Changes(aliases={text}), person.now)
    return action


def merge_entities(*, tenant_id: UUID, corpus: str, source_id: int, target_id: int, person: Person) -> UUID:
    """Let one entity stand for another of its type: names, edges and mentions of the source are the target's.

    Raises CorpusNotFound, NotFound, Conflict for two types, one entity twice or one that is merged already.
    """
    locked = lock_corpus(tenant_id=tenant_id, external_id=corpus)
    source, target = _find_entity(locked, source_id), _find_entity(locked, target_id)
    if source.type != target.type:
        raise Conflict("Only entities of one type are merged.")
    if source.id == target.id or source.merged_into_id or target.merged_into_id:
        raise Conflict("These are one entity already.")
    children = [row[0] for row in fetch_rows(_list_children(), [locked.id, source.id])]
    _merge(locked, [source.id, *children], target.id)
    action = _log(
        locked, "merge", person, entity=target.id, other=source.id, text=source.name, before={"children": children}
    )
    _follow(locked, [source.id, target.id, *children], person.now)
    return action


def split_name(*, tenant_id: UUID, corpus: str, entity_id: int, text: str, person: Person) -> UUID:
    """Give a name of an entity an entity of its own, of the same type; the first bears it no longer.

    Raises CorpusNotFound, NotFound, InvalidRequest, and Conflict where another entity has the key of that name.
    """
    locked = lock_corpus(tenant_id=tenant_id, external_id=corpus)
    entity, text = _find_entity(locked, entity_id), _clean(text)
    values = {"tenant_id": locked.tenant_id, "corpus_id": locked.id, "type": entity.type}
    made = fetch_rows(_INSERT_ENTITY, {**values, "key": make_key(text), "name": text})
    if not made:
        raise Conflict("Another entity of this type has the key of this name. Refuse the name here, confirm it there.")
    before = _set_status(locked, entity.id, text, "refused")
    action = _log(locked, "split", person, entity=made[0][0], other=entity.id, text=text, before={"status": before})
    write_aliases(locked, [(made[0][0], text, "name")])
    _follow(locked, [made[0][0], entity.id], person.now)
    return action


def undo_action(*, tenant_id: UUID, corpus: str, action_id: UUID, person: Person) -> None:
    """Take a decision back. Raises CorpusNotFound, NotFound, and Conflict where a later one rests on it."""
    locked = lock_corpus(tenant_id=tenant_id, external_id=corpus)
    statement = (
        "SELECT kind, entity_id, other_id, text, before, made_at FROM knowledge_registry_action"
        " WHERE corpus_id = %s AND id = %s AND undone_at IS NULL"
    )
    found = fetch_rows(statement, [locked.id, action_id])
    if not found:
        raise NotFound("There is no such decision that holds.")
    kind, entity, other, text, before, made_at = found[0]
    _refuse_undo_of_older(locked, entity, other, text, made_at)
    undone = "UPDATE knowledge_registry_action SET undone_at = %s, undone_by = %s WHERE corpus_id = %s AND id = %s"
    execute(undone, [person.now, person.staff_id, locked.id, action_id])
    before = json.loads(before) if isinstance(before, str) else before
    if kind == "merge":
        _merge(locked, [other], None)
        _merge(locked, before["children"], other)
        _follow(locked, [entity, other, *before["children"]], person.now)
        return
    owner = other if kind == "split" else entity
    _put_status_back(locked, owner, text, before["status"])
    if kind == "split":
        _follow(locked, [entity, owner], person.now)
    else:
        _finish(locked, Changes(aliases={text}, entities={owner}), person.now)


def _refuse_undo_of_older(corpus: CorpusRef, entity: int, other: int | None, text: str, made_at: datetime) -> None:
    """Decisions about one entity are taken back newest first, or the way back would not be the way there."""
    statement = (
        "SELECT 1 FROM knowledge_registry_action WHERE corpus_id = %(corpus_id)s AND undone_at IS NULL"
        " AND made_at > %(made_at)s AND (entity_id = ANY(%(ids)s) OR other_id = ANY(%(ids)s))"
        " AND (kind IN ('merge', 'split') OR text = %(text)s) LIMIT 1"
    )
    ids = [entity, *([other] if other else [])]
    if fetch_rows(statement, {"corpus_id": corpus.id, "made_at": made_at, "ids": ids, "text": text}):
        raise Conflict("A later decision rests on this one. Take that back first.")


def _find_entity(corpus: CorpusRef, entity_id: int) -> _Entity:
    found = fetch_rows(_FIND, [corpus.id, [entity_id]])
    if not found:
        raise NotFound("There is no such entity in this corpus.")
    return _Entity(*found[0])


def _clean(text: str) -> str:
    text = " ".join(text.split())
    if not text or len(text) > MAX_NAME or not list_alias_keys(text):
        raise InvalidRequest(
            "This can be no name: it is empty, too long, or says nothing.", fields={"text": "is no name"}
        )
    return text


def _set_status(corpus: CorpusRef, entity_id: int, text: str, status: str) -> str | None:
    """The status that a name had; None for one that was not there, which is written."""
    values = {"corpus_id": corpus.id, "entity": entity_id, "text": text, "status": status}
    statement = "SELECT status FROM knowledge_alias WHERE corpus_id = %s AND entity_id = %s AND text = %s"
    found = fetch_rows(statement, [corpus.id, entity_id, text])
    if not found:
        write_aliases(corpus, [(entity_id, text, "person")])
    execute(_SET_STATUS, values)
    return str(found[0][0]) if found else None


def _put_status_back(corpus: CorpusRef, entity_id: int, text: str, status: str | None) -> None:
    if status is None:
        execute(_DELETE_ADDED, [corpus.id, entity_id, text])
    execute(_SET_STATUS, {"corpus_id": corpus.id, "entity": entity_id, "text": text, "status": status or "active"})


def _list_children() -> str:
    return "SELECT id FROM knowledge_entity WHERE corpus_id = %s AND merged_into_id = %s"


def _merge(corpus: CorpusRef, sources: Sequence[int], target: int | None) -> None:
    statement = "UPDATE knowledge_entity SET merged_into_id = %s WHERE corpus_id = %s AND id = ANY(%s)"
    execute(statement, [target, corpus.id, list(sources)])


def _follow(corpus: CorpusRef, entities: Sequence[int], now: datetime) -> None:
    """Bring edges and mentions of entities up to date, whichever of them stands for which."""
    rows = fetch_rows(_FIND, [corpus.id, list(entities)])
    names: dict[int, list[str]] = {row[0]: [row[3]] for row in rows}
    for entity, text in fetch_rows(_LIST_NAMES, [corpus.id, list(entities)]):
        names[entity].append(text)
    changes = Changes(entities=set(entities), aliases={text for texts in names.values() for text in texts})
    for id_, type_, key, *_ in rows:
        changes.references |= list_own_references(type=type_, key=key, names=names[id_])
    execute(_POINT_SOURCES, {"corpus_id": corpus.id, "ids": list(entities)})
    chunks = [row[0] for row in fetch_rows(_LIST_CHUNKS, [corpus.id, list(entities)])]
    _finish(corpus, changes, now)
    read_for_names(corpus, chunks)


def _finish(corpus: CorpusRef, changes: Changes, now: datetime) -> None:
    derive_entities(corpus, changes, is_last=False)
    point_edges_again(corpus, changes)
    derive_entities(corpus, changes, is_last=True)
    update_mentions(corpus, changes)
    raise_version(corpus, version=find_next_version(corpus), changes=changes, now=now)


def _log(
    corpus: CorpusRef,
    kind: str,
    person: Person,
    *,
    entity: int,
    other: int | None = None,
    text: str = "",
    before: dict[str, Any],
) -> UUID:
    action = new_id()
    execute(
        _LOG,
        {
            "tenant_id": corpus.tenant_id, "corpus_id": corpus.id, "id": action, "kind": kind, "entity": entity,
            "other": other, "text": text, "before": json.dumps(before), "reason": person.reason[:200],
            "staff": person.staff_id, "now": person.now,
        },
    )  # fmt: skip
    return action
