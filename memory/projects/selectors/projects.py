"""Projects and their items, found by the caller's ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from memory.database.statements import fetch_row, fetch_rows
from memory.errors import NotFound
from memory.projects.errors import AmbiguousId, ProjectNotFound
from memory.projects.types import NOW, ItemRef, ProjectRef, ProjectView, When
from memory.projects.words import PROJECT, ProjectWords

# A project of a user who is being erased is invisible from the first moment (SPEC G-2).
_VISIBLE: Final = (
    "(p.user_id IS NULL OR EXISTS (SELECT FROM memory_user u WHERE u.id = p.user_id AND u.fenced_at IS NULL))"
)
_FIND: Final = f"""
SELECT p.id, p.user_id, p.change FROM project p
WHERE p.tenant_id = %s AND p.external_id = %s AND {_VISIBLE}
"""
_LIST: Final = f"""
SELECT p.id, p.external_id, p.user_id, p.change, p.created_at, p.updated_at, v.version, v.status, v.sealed,
  u.external_id
FROM project p
JOIN LATERAL (
  SELECT version, status, sealed FROM project_version v
  WHERE v.project_id = p.id AND (CASE WHEN %(known_at)s::timestamptz IS NULL THEN v.known_to IS NULL
    ELSE v.known_from <= %(known_at)s::timestamptz END)
  ORDER BY version DESC LIMIT 1) v ON true
LEFT JOIN memory_user u ON u.id = p.user_id
WHERE p.tenant_id = %(tenant_id)s AND {_VISIBLE}
"""
# What rests on forgotten messages alone is in no list, so it is not counted either: IS_VISIBLE of facts and decisions,
# asked of all rows at once. Row by row, 5,000 facts and 750 decisions took 218 ms instead of 18.
# A contradiction can be told while both sides have words.
_SHOWN: Final = """
WITH gone AS MATERIALIZED (
  SELECT s.id FROM project_source s JOIN memory_message m ON m.user_id = s.user_id AND m.id = s.message_id
  WHERE s.project_id = %(id)s AND m.forgotten_at IS NOT NULL),
fact AS MATERIALIZED (
  SELECT f.id, f.status FROM project_fact f WHERE f.project_id = %(id)s AND f.known_to IS NULL
     AND (f.id IN (SELECT e.fact_id FROM project_evidence e
                   WHERE e.project_id = %(id)s AND e.source_id NOT IN (SELECT id FROM gone))
       OR f.source_id IS NULL
         AND f.id NOT IN (SELECT e.fact_id FROM project_evidence e WHERE e.project_id = %(id)s))),
decision AS MATERIALIZED (
  SELECT d.id, d.sealed IS NOT NULL AS has_words FROM project_decision d
  WHERE d.project_id = %(id)s AND d.known_to IS NULL AND NOT EXISTS (SELECT FROM gone WHERE gone.id = d.source_id)),
side AS MATERIALIZED (SELECT id FROM fact UNION ALL SELECT id FROM decision WHERE has_words),
told AS MATERIALIZED (
  SELECT c.id FROM project_conflict c WHERE c.project_id = %(id)s AND c.status = 'open'
    AND c.left_id IN (SELECT id FROM side) AND c.right_id IN (SELECT id FROM side))
"""
_COUNTS: Final = f"""{_SHOWN}
SELECT
  (SELECT count(*) FROM project_thread WHERE project_id = %(id)s),
  (SELECT count(*) FROM fact),
  (SELECT count(*) FROM decision),
  (SELECT count(*) FROM project_link WHERE project_id = %(id)s AND known_to IS NULL),
  (SELECT count(*) FROM project_artifact WHERE project_id = %(id)s AND known_to IS NULL),
  (SELECT count(*) FROM project_conflict WHERE project_id = %(id)s AND status = 'open'),
  (SELECT count(*) FROM project_question q WHERE q.project_id = %(id)s AND q.status = 'open'
     AND NOT EXISTS (SELECT FROM gone WHERE gone.id = q.source_id)
     AND (q.conflict_id IS NULL OR q.conflict_id IN (SELECT id FROM told))),
  (SELECT count(*) FROM project_snapshot WHERE project_id = %(id)s)
"""
_COUNTED: Final = (
    "threads", "facts", "decisions", "links", "artifacts", "open_conflicts", "open_questions", "snapshots"
)  # fmt: skip
_CONTRADICTED: Final = f"""{_SHOWN}
SELECT (SELECT count(*) FROM told),
  (SELECT count(*) FROM fact WHERE status = 'active') + (SELECT count(*) FROM decision)
"""


def find_project(*, tenant_id: UUID, external_id: str) -> ProjectRef | None:
    """The project of a tenant, None where there is none to be seen."""
    rows = fetch_rows(_FIND, [tenant_id, external_id])
    return ProjectRef(rows[0][0], tenant_id, external_id, rows[0][1], rows[0][2]) if rows else None


def get_project(*, tenant_id: UUID, external_id: str, user_id: UUID | None = None) -> ProjectRef:
    """As `find_project`. With `user_id`: a project of another user is not there either. Raises ProjectNotFound."""
    found = find_project(tenant_id=tenant_id, external_id=external_id)
    if found is None or (user_id is not None and found.user_id not in (None, user_id)):
        raise ProjectNotFound
    return found


def list_projects(
    *,
    tenant_id: UUID,
    user_id: UUID | None = None,
    owner_id: UUID | None = None,
    status: str | None = None,
    after: UUID | None = None,
    limit: int,
) -> list[ProjectView]:
    """Projects in the order in which they were made; those that a user may see, or owns, where one is named."""
    statement = _LIST
    if user_id is not None:
        statement += " AND (p.user_id IS NULL OR p.user_id = %(user_id)s)"
    if owner_id is not None:
        statement += " AND p.user_id = %(owner_id)s"
    if status is not None:
        statement += " AND v.status = %(status)s"
    if after is not None:
        statement += " AND p.id > %(after)s"
    values: dict[str, Any] = {"tenant_id": tenant_id, "known_at": None, "limit": limit}
    values |= {"user_id": user_id} if user_id else {}
    values |= {"owner_id": owner_id} if owner_id else {}
    values |= {"status": status} if status else {}
    values |= {"after": after} if after else {}
    return [_open(row, tenant_id) for row in fetch_rows(f"{statement} ORDER BY p.id LIMIT %(limit)s", values)]


def describe_project(project: ProjectRef, *, when: When = NOW, has_counts: bool = True) -> ProjectView:
    """Mission, goals, constraints and status, as known at a moment. Raises ProjectNotFound when there was none yet."""
    values = {"tenant_id": project.tenant_id, "known_at": when.known_at, "id": project.id}
    rows = fetch_rows(f"{_LIST} AND p.id = %(id)s", values)
    if not rows:
        raise ProjectNotFound
    counts = count_project(project) if has_counts else {}
    return _open(rows[0], project.tenant_id, counts)


def _open(row: tuple[Any, ...], tenant_id: UUID, counts: Mapping[str, int] | None = None) -> ProjectView:
    id, external_id, user_id, change, created_at, updated_at, version, status, sealed, owner = row
    ref = ProjectRef(id, tenant_id, external_id, user_id, change)
    words = ProjectWords(ref).open(sealed, purpose=PROJECT)
    return ProjectView(
        ref=ref,
        version=version,
        status=status,
        name=words["name"],
        mission=words["mission"],
        goals=tuple(words["goals"]),
        constraints=tuple(words["constraints"]),
        created_at=created_at,
        updated_at=updated_at,
        owner=owner,
        counts=counts or {},
    )


def count_project(project: ProjectRef) -> dict[str, int]:
    """Rows of a project by name, as its lists show them.

    `open_conflicts` is the register, which names a hidden side as hidden. `open_questions` are those with words: a
    contradiction with a hidden side asks nothing.
    """
    return dict(zip(_COUNTED, fetch_row(_COUNTS, {"id": project.id}), strict=True))


def count_contradictions(project: ProjectRef) -> tuple[int, int]:
    """Open contradictions of which both sides are visible, and visible records: active facts and decisions."""
    contradictions, records = fetch_row(_CONTRADICTED, {"id": project.id})
    return contradictions, records


def read_project_version(project: ProjectRef, *, version: int) -> Mapping[str, Any] | None:
    """The words of one version of a project and its status."""
    rows = fetch_rows(
        "SELECT status, sealed FROM project_version WHERE project_id = %s AND version = %s", [project.id, version]
    )
    if not rows:
        return None
    return {"status": rows[0][0], **ProjectWords(project).open(rows[0][1], purpose=PROJECT)}


# --- items ------------------------------------------------------------------------------------------------------------


def find_items(project: ProjectRef, *, kind: str, external_ids: Iterable[str]) -> dict[str, UUID]:
    """Our ids of items by the caller's."""
    statement = "SELECT external_id, id FROM project_item WHERE project_id = %s AND kind = %s AND external_id = ANY(%s)"
    return dict(fetch_rows(statement, [project.id, kind, list(external_ids)]))


def get_item(project: ProjectRef, *, kind: str, external_id: str) -> ItemRef:
    """One item. Raises NotFound."""
    found = find_items(project, kind=kind, external_ids=[external_id])
    if external_id not in found:
        raise NotFound(f"There is no such {kind} in this project.")
    return ItemRef(kind, external_id, found[external_id])


def name_items(project: ProjectRef, *, ids: Iterable[UUID]) -> dict[UUID, tuple[str, str]]:
    """Kind and caller's id of items."""
    statement = "SELECT id, kind, external_id FROM project_item WHERE project_id = %s AND id = ANY(%s)"
    wanted = list(dict.fromkeys(ids))
    rows = fetch_rows(statement, [project.id, wanted]) if wanted else ()
    return {id: (kind, external_id) for id, kind, external_id in rows}


_FIND_BARE: Final = f"""
SELECT p.id, p.external_id, p.user_id, p.change, i.id
FROM project_item i JOIN project p ON p.id = i.project_id
WHERE i.tenant_id = %s AND i.kind = %s AND i.external_id = %s AND {_VISIBLE}
"""


def find_bare_item(
    *, tenant_id: UUID, kind: str, external_id: str, project: str | None = None, user_id: UUID | None = None
) -> tuple[ProjectRef, ItemRef]:
    """An item by its id alone, or in a named project; with `user_id` in that user's own alone.

    Raises NotFound, AmbiguousId.
    """
    rows = fetch_rows(_FIND_BARE, [tenant_id, kind, external_id])
    rows = [row for row in rows if project is None or row[1] == project]
    rows = [row for row in rows if user_id is None or row[2] == user_id]
    if not rows:
        raise NotFound(f"There is no such {kind}.")
    if len(rows) > 1:
        raise AmbiguousId(fields={"project_id": f"{len(rows)} projects have a {kind} of this id"})
    id, name, user_id, change, item_id = rows[0]
    return ProjectRef(id, tenant_id, name, user_id, change), ItemRef(kind, external_id, item_id)


def list_threads(project: ProjectRef) -> list[dict[str, Any]]:
    """Threads with the id of their conversation, None where nothing was said in it yet."""
    rows = fetch_rows(
        "SELECT t.id, t.user_id, u.external_id, t.conversation, t.scope, t.is_shared, t.bound_at, t.read_seq,"
        " c.id, c.last_seq"
        " FROM project_thread t JOIN memory_user u ON u.id = t.user_id AND u.fenced_at IS NULL"
        " LEFT JOIN memory_conversation c ON c.user_id = t.user_id AND c.external_id = t.conversation"
        " WHERE t.project_id = %s ORDER BY t.bound_at, t.id",
        [project.id],
    )
    names = (
        "id", "user_id", "user", "conversation", "scope", "is_shared", "bound_at", "read_seq", "conversation_id",
        "last_seq",
    )  # fmt: skip
    return [dict(zip(names, row, strict=True)) for row in rows]


_UNREAD: Final = f"""
SELECT DISTINCT p.id, p.external_id, p.user_id, p.change FROM project p
JOIN project_thread t ON t.project_id = p.id AND t.scope = 'in'
JOIN memory_conversation c ON c.user_id = t.user_id AND c.external_id = t.conversation AND c.last_seq > t.model_seq
WHERE p.tenant_id = %s AND {_VISIBLE} ORDER BY p.id
"""


def list_unread_projects(*, tenant_id: UUID) -> list[ProjectRef]:
    """Projects with something in their threads that no model has read."""
    return [
        ProjectRef(id, tenant_id, name, owner, change) for id, name, owner, change in fetch_rows(_UNREAD, [tenant_id])
    ]


def find_projects_of_thread(*, tenant_id: UUID, user_id: UUID, conversation: str) -> list[tuple[UUID, str]]:
    """Projects that a conversation belongs to, each with the thread's scope."""
    rows = fetch_rows(
        "SELECT project_id, scope FROM project_thread WHERE tenant_id = %s AND user_id = %s AND conversation = %s"
        " ORDER BY bound_at, project_id",
        [tenant_id, user_id, conversation],
    )
    return [(row[0], row[1]) for row in rows]
