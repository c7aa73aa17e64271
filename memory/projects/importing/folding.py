"""Versions of records folded into decisions: states with their times, links with theirs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Final

from memory.projects.importing.git import FileVersion
from memory.projects.importing.records import SUFFIXES, Naming, Record, read_record

REMOVED: Final = "removed"
"""The word for a record whose file is gone."""


@dataclass(slots=True)
class FoldedState:
    """A state from a commit on, with the history's own word for it."""

    state: str
    status: str
    at: datetime
    superseded_by: str | None = None


@dataclass(slots=True)
class FoldedLink:
    """A link from one commit to another."""

    to: str
    kind: str
    since: datetime
    until: datetime | None = None

    @property
    def is_supersession(self) -> bool:
        """Whether it says that the first takes the place of the second."""
        return self.kind == "supersedes"


@dataclass(slots=True)
class Folded:
    """A decision as its history left it."""

    id: str
    path: str
    record: Record
    first_at: datetime
    states: list[FoldedState] = field(default_factory=list)
    links: list[FoldedLink] = field(default_factory=list)


@dataclass(slots=True)
class Fold:
    """What a directory says."""

    decisions: dict[str, Folded] = field(default_factory=dict)
    unknown_statuses: dict[str, int] = field(default_factory=dict)
    versions: int = 0


def fold_versions(versions: Iterable[FileVersion], *, naming: Naming) -> Fold:
    """All versions, oldest first, as decisions. A record whose file a commit takes away is rejected from then on."""
    fold = Fold()
    for _, changes in groupby(versions, key=attrgetter("commit")):
        _add_commit(fold, list(changes), naming)
    _name_successors(fold)
    return fold


def _add_commit(fold: Fold, changes: Sequence[FileVersion], naming: Naming) -> None:
    for version in changes:
        record = _read(version, naming)
        if record is None:
            continue
        fold.versions += 1
        if not record.is_known_status:
            fold.unknown_statuses[record.status] = fold.unknown_statuses.get(record.status, 0) + 1
        known = fold.decisions.get(record.id)
        if known is None:
            known = fold.decisions[record.id] = Folded(record.id, version.path, record, version.at)
        _add_version(known, record, version)
    # Last, because a file that is only renamed is taken away and added by one commit.
    gone = {version.path: version.at for version in changes if version.text is None}
    for folded in fold.decisions.values():
        if folded.path in gone and folded.states[-1].state not in ("rejected", "superseded"):
            folded.states.append(FoldedState("rejected", REMOVED, gone[folded.path]))


def _read(version: FileVersion, naming: Naming) -> Record | None:
    path = PurePosixPath(version.path)
    if version.text is None or path.suffix.lower() not in SUFFIXES:
        return None
    return read_record(path, version.text, naming=naming)


def _add_version(folded: Folded, record: Record, version: FileVersion) -> None:
    folded.record, folded.path = record, version.path
    by = record.superseded_by[0] if record.superseded_by and record.state == "superseded" else None
    last = folded.states[-1] if folded.states else None
    if last is None or (last.state, last.status) != (record.state, record.status):
        folded.states.append(FoldedState(record.state, record.status, version.at, by))
    elif by and not last.superseded_by:
        last.superseded_by = by
    wanted = _list_links(record)
    for link in folded.links:
        if link.until is None and (link.to, link.kind) not in wanted:
            link.until = version.at
    current = {(link.to, link.kind) for link in folded.links if link.until is None}
    folded.links += [FoldedLink(to, kind, version.at) for to, kind in wanted if (to, kind) not in current]


def _list_links(record: Record) -> dict[tuple[str, str], None]:
    """Targets and kinds of a version's links; one that a field names is not a mention too."""
    links = {(to, "supersedes"): None for to in record.supersedes}
    links |= {(to, "depends"): None for to in record.requires}
    named = {to for to, _ in links} | set(record.superseded_by)
    return links | {(to, "mentions"): None for to in record.mentions if to not in named}


def _name_successors(fold: Fold) -> None:
    """What only one side says: the successor of a superseded record, and what a successor supersedes."""
    for folded in fold.decisions.values():
        for link in folded.links:
            older = fold.decisions.get(link.to) if link.is_supersession else None
            if older and older.states[-1].state == "superseded" and not older.states[-1].superseded_by:
                older.states[-1].superseded_by = folded.id
        by = folded.states[-1].superseded_by
        newer = fold.decisions.get(by) if by else None
        if newer and not any(link.to == folded.id and link.is_supersession for link in newer.links):
            newer.links.append(FoldedLink(folded.id, "supersedes", folded.states[-1].at))
