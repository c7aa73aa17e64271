"""script/manage import_corpus"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import msgspec
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.errors import CodedError
from memory.tenants.database_errors import coded_database_errors
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_tenant
from patterns.management.command import DescribedCommand
from retrieval.knowledge.ingest.files import read_path
from retrieval.knowledge.schemas.schema import SHIPPED, SchemaBody
from retrieval.knowledge.services.corpora import put_corpus
from retrieval.knowledge.services.importing import ImportOutcome, import_items

REPORT_SECONDS: Final = 5.0


class Command(DescribedCommand):
    reported_at = 0.0
    help = """Import documents and records into a corpus: a file, or all files of a folder (.md, .html, .txt, .jsonl).
The corpus is made when it is new. A file is a document, its path in the folder the id. A line of JSON Lines is
a record when it has a type, otherwise a document. What is there already is skipped: start it again after a break.
Ends with 1 when items were refused: each is named by file, line and a code, never by its text.

examples:
  script/manage import_corpus --tenant acme --corpus handbook docs/
  script/manage import_corpus --tenant acme --corpus films --schema films.schema.json films.jsonl
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--corpus", required=True, help="your id of the corpus; created if new")
        parser.add_argument("--schema", help=f"{', '.join(SHIPPED)}, or a JSON file with types and edges")
        parser.add_argument("path", type=Path, help="a file or a folder")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant, now = get_tenant(slug=options["tenant"]), timezone.now()
            if not options["path"].exists():
                raise CommandError(f"{options['path']} does not exist.")
            with coded_database_errors():
                with tenant_scope(tenant.id):
                    put_corpus(
                        tenant_id=tenant.id,
                        external_id=options["corpus"],
                        name=None,
                        schema=self._read_schema(options["schema"]),
                        settings=None,
                        now=now,
                    )
                outcome = import_items(
                    tenant_id=tenant.id,
                    corpus=options["corpus"],
                    items=read_path(options["path"]),
                    now=now,
                    report=self._report,
                )
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the command again to continue.", returncode=130) from None
        except OSError:
            raise CommandError(f"{options['path']} cannot be read.") from None
        except CodedError as error:
            raise CommandError(f"{error.code}: {error.message} {' '.join(error.fields)}".rstrip()) from None
        self._show(outcome)

    def _read_schema(self, named: str | None) -> str | SchemaBody | None:
        if named is None or named in SHIPPED:
            return named
        try:
            return msgspec.json.decode(Path(named).read_bytes(), type=SchemaBody)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            raise CommandError(
                f"{named} is not a schema: use a shipped one or a JSON file with types and edges."
            ) from None

    def _report(self, outcome: ImportOutcome) -> None:
        if time.monotonic() - self.reported_at >= REPORT_SECONDS:
            self.reported_at = time.monotonic()
            self.stderr.write(f"{outcome.statuses.total()} items")

    def _show(self, outcome: ImportOutcome) -> None:
        statuses = outcome.statuses
        self.stdout.write(
            f"{statuses['added']} items added, {statuses['replaced']} replaced, {statuses['unchanged']} unchanged,"
            f" {statuses['error']} refused"
        )
        for code, count in sorted(outcome.warnings.items()):
            self.stdout.write(f"{count} warnings {code}")
        for place, code in outcome.errors:
            self.stderr.write(f"{place}: {code}")
        if outcome.errors:
            raise CommandError(f"{len(outcome.errors)} items were refused.")
