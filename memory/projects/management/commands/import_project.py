"""script/manage import_project"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.errors import CodedError
from memory.projects.importing.folding import Fold, fold_versions
from memory.projects.importing.git import FileVersion, NoGitHistory, list_versions
from memory.projects.importing.records import SUFFIXES, find_naming
from memory.projects.importing.storing import ImportCounts, store_fold
from memory.projects.selectors.projects import find_project
from memory.projects.services.projects import ProjectInput, make_project
from memory.projects.types import ProjectRef
from memory.tenants.database_errors import coded_database_errors
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_tenant
from patterns.management.command import DescribedCommand


class Command(DescribedCommand):
    help = """Import a directory of decision records and its Git history into a project.
Each file with a number and a status is a decision: ADRs, PEPs, KEPs and their like. Its states have the times of the
commits that changed its status; replaces, superseded-by and requires become links, and so do records that the text
names ("PEP 484"). The word of the history for a state is kept as source_status. What is there already is skipped.

examples:
  script/manage import_project --tenant acme --project decisions docs/adr
  script/manage import_project --tenant acme --project peps --word pep peps/peps
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--project", required=True, help="the tenant's own id of the project; made when it is new")
        parser.add_argument("--user", help="whose project it is; without it the project is shared in the tenant")
        parser.add_argument("--word", help="what the records are called: pep, adr, kep; found out where it is not said")
        parser.add_argument("--no-history", action="store_true", help="read the files as they are, without Git")
        parser.add_argument("path", type=Path, help="the directory of the records")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        if not path.is_dir():
            raise CommandError(f"{path} is no directory.")
        try:
            files = {str(file.relative_to(path)): _read(file) for file in _list_files(path)}
            naming = find_naming(list(files.items()), word=options["word"])
            versions = _list_current(path, files) if options["no_history"] else list_versions(path)
            fold = fold_versions(versions, naming=naming)
            counts = self._store(fold, naming.words[0], options)
        except NoGitHistory:
            raise CommandError(
                f"{path} has no Git history. With --no-history the files are read as they are."
            ) from None
        except OSError:
            raise CommandError(f"{path} can't be read.") from None
        except CodedError as error:
            raise CommandError(f"{error.code}: {error.message} {' '.join(error.fields)}".rstrip()) from None
        self._show(fold, counts)

    def _store(self, fold: Fold, word: str, options: dict[str, Any]) -> ImportCounts:
        tenant, now = get_tenant(slug=options["tenant"]), timezone.now()
        with coded_database_errors(), tenant_scope(tenant.id):
            project = _find_or_make(tenant.id, options["project"], options["user"], now)
            return store_fold(project, fold, word=word, now=now)

    def _show(self, fold: Fold, counts: ImportCounts) -> None:
        self.stdout.write(
            f"{len(fold.decisions)} records in {fold.versions} versions: {counts.decisions} decisions added,"
            f" {counts.states} states, {counts.links} links; {counts.unchanged} were there"
        )
        if counts.withdrawn:
            self.stdout.write(f"{counts.withdrawn} states and links of an earlier import are in this history no more")
        if counts.dangling:
            self.stdout.write(f"{counts.dangling} links lead to records that are not in the directory")
        unknown = sum(fold.unknown_statuses.values())
        if unknown:
            self.stdout.write(f"{unknown} versions have a status that the table does not know: taken as proposed")


def _find_or_make(tenant_id: Any, name: str, user: str | None, now: datetime) -> ProjectRef:
    found = find_project(tenant_id=tenant_id, external_id=name)
    if found is not None:
        return found
    return make_project(tenant_id=tenant_id, external_id=name, user=user, content=ProjectInput(name=name), now=now)[0]


def _list_files(path: Path) -> Iterator[Path]:
    return (file for file in sorted(path.rglob("*")) if file.suffix.lower() in SUFFIXES and file.is_file())


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _list_current(path: Path, files: dict[str, str]) -> Iterator[FileVersion]:
    for name, text in files.items():
        at = datetime.fromtimestamp((path / name).stat().st_mtime, tz=UTC)
        yield FileVersion("", at, name, text)
