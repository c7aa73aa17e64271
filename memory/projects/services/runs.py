"""Counts of what was done, for the monitor (MAAS, Monitor): no words, no users, some weeks long."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from django.conf import settings

from memory.database.statements import execute, insert_all
from memory.ids import new_id
from memory.projects.metrics import PROJECT_RUNS, PROJECT_SECONDS
from memory.projects.types import ProjectRef

_DROP_SHARE = 0x0F  # one run in sixteen drops what is too old


@dataclass(frozen=True, slots=True)
class RunNote:
    """One run of a process."""

    process: str
    milliseconds: float
    budget_tokens: int = 0
    used_tokens: int = 0
    stated: int = 0
    """Facts that a context stated."""
    attributed: int = 0
    """Those of them with a source."""
    cited: int = 0
    """Items that an answer cited."""
    hits: int = 0
    """Those of them that were among the first of its context."""
    refused: int = 0
    """Proposals of a model that pointed at no words."""


def note_run(project: ProjectRef, note: RunNote, *, now: datetime) -> None:
    """Store the counts of a run. Writes."""
    id = new_id()
    values = asdict(note)
    columns = ("tenant_id", "project_id", "id", "at", *values)
    insert_all("project_run", columns, [(project.tenant_id, project.id, id, now, *values.values())])
    PROJECT_RUNS.labels(note.process).inc()
    PROJECT_SECONDS.labels(note.process).observe(note.milliseconds / 1000)
    if id.int & _DROP_SHARE == 0:
        oldest = now - settings.UNDE_TUNING.PROJECT_RUNS_KEPT
        execute("DELETE FROM project_run WHERE project_id = %s AND at < %s", [project.id, oldest])
