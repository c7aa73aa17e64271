"""Sources with their words, as far as the reader may see them, and which of them are hidden now.

A message that was forgotten is no source while it is hidden: what rests on it alone is not shown either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from memory.database.statements import fetch_rows
from memory.projects.selectors.projects import name_items
from memory.projects.types import ProjectRef, SourceView
from memory.projects.words import SOURCE, ProjectWords

# What another person said is quoted to nobody unless the thread is marked as shared (D-51).
_READ: Final = """
SELECT s.id, s.kind, s.message_id, s.sealed, s.dated, s.authority, s.artifact_id,
  CASE WHEN s.message_id IS NULL THEN NULL
       WHEN s.quote_start IS NULL OR s.user_id IS DISTINCT FROM %(reader)s::uuid
         AND s.user_id IS DISTINCT FROM %(owner)s::uuid AND NOT EXISTS (
         SELECT FROM project_thread t WHERE t.project_id = s.project_id AND t.user_id = s.user_id AND t.is_shared
          AND t.conversation = c.external_id) THEN NULL
       ELSE substr(m.content, s.quote_start + 1, s.quote_end - s.quote_start) END,
  m.speaker
FROM project_source s
LEFT JOIN memory_message m ON m.user_id = s.user_id AND m.id = s.message_id AND m.forgotten_at IS NULL
LEFT JOIN memory_conversation c ON c.user_id = m.user_id AND c.id = m.conversation_id
WHERE s.project_id = %(project_id)s AND s.id = ANY(%(ids)s) AND (s.message_id IS NULL OR m.id IS NOT NULL)
"""
# Serves: what a fact is worth, and whether it may be shown.
_AUTHORITIES: Final = """
SELECT s.id, s.authority FROM project_source s
LEFT JOIN memory_message m ON m.user_id = s.user_id AND m.id = s.message_id
WHERE s.project_id = %s AND s.id = ANY(%s) AND m.forgotten_at IS NULL
"""
_EVIDENCE: Final = (
    "SELECT fact_id, source_id FROM project_evidence WHERE project_id = %s AND fact_id = ANY(%s) ORDER BY 1, 2"
)


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: a user, whose own messages may be quoted, or (None) the tenant itself."""

    user_id: UUID | None = None


def read_sources(project: ProjectRef, *, ids: Iterable[UUID], reader: Reader) -> dict[UUID, SourceView]:
    """Visible sources by id. Those of forgotten messages are left out."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    values = {"project_id": project.id, "ids": wanted, "reader": reader.user_id, "owner": project.user_id}
    rows = fetch_rows(_READ, values)
    words = ProjectWords(project)
    sealed = [row[3] for row in rows if row[3] is not None]
    opened = iter(words.open_all(sealed, purpose=SOURCE))
    names = name_items(project, ids=[row[6] for row in rows if row[6]])
    return {row[0]: _make_view(row, next(opened) if row[3] is not None else {}, names) for row in rows}


def _make_view(row: tuple[Any, ...], words: Mapping[str, Any], names: Mapping[UUID, tuple[str, str]]) -> SourceView:
    id, kind, message_id, _, dated, authority, artifact_id, quote, speaker = row
    ref = str(message_id) if message_id else names[artifact_id][1] if artifact_id else words["ref"]
    return SourceView(
        id=id,
        type=kind,
        ref=ref,
        dated=dated,
        quote=quote if message_id else words.get("quote"),
        author=(speaker or None) if message_id else words.get("author"),
        authority=None if authority is None else round(authority, 6),
        message_id=message_id,
    )


def list_evidence(project: ProjectRef, *, fact_ids: Iterable[UUID]) -> dict[UUID, list[UUID]]:
    """The sources of facts, in order."""
    wanted = list(fact_ids)
    found: dict[UUID, list[UUID]] = {}
    for fact_id, source_id in fetch_rows(_EVIDENCE, [project.id, wanted]) if wanted else ():
        found.setdefault(fact_id, []).append(source_id)
    return found


def list_authorities(project: ProjectRef, *, ids: Iterable[UUID]) -> dict[UUID, float | None]:
    """The authority of those sources that are not hidden. Opens nothing."""
    wanted = list(dict.fromkeys(ids))
    return dict(fetch_rows(_AUTHORITIES, [project.id, wanted])) if wanted else {}
