"""script/manage import_memory"""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final
from zoneinfo import ZoneInfo

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.errors import CodedError
from memory.imports.running import import_file
from memory.imports.types import FORMATS
from memory.tenants.database_errors import coded_database_errors
from memory.tenants.selectors import get_tenant
from memory.types import TenantRef
from patterns.management.command import DescribedCommand

REPORT_SECONDS: Final = 5.0


class Command(DescribedCommand):
    reported_at = 0.0
    help = """Import one user's memory from a file. Repeating an import stores nothing twice.
Ends with 1 when lines were refused: each is named by its number and a code, never by its text.
A file of any size passes, a few hundred lines at a time; what was interrupted goes on when it is started again.

examples:
  script/manage import_memory --tenant acme --user customer-42 --format unde export.jsonl
  script/manage import_memory --tenant acme --user customer-42 --format mem0 memories.json
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--user", required=True, help="your id of the user; created if new")
        parser.add_argument("--format", required=True, choices=FORMATS, help="format of the file")
        parser.add_argument("file", type=Path, help="the file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant = get_tenant(slug=options["tenant"])
            with options["file"].open("rb") as source, coded_database_errors():
                outcome = import_file(
                    tenant=TenantRef(id=tenant.id, zone=ZoneInfo(tenant.timezone)),
                    user_external_id=options["user"],
                    source=source,
                    file_format=options["format"],
                    now=timezone.now(),
                    report=partial(self.report, source),
                )
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Run the command again to continue.", returncode=130) from None
        except OSError:
            raise CommandError(f"{options['file']} cannot be read.") from None
        except CodedError as error:
            raise CommandError(f"{error.code}: {error.message}") from None
        self.stdout.write(
            f"{outcome.messages} messages, {outcome.actions} actions and {outcome.accounts} receipts and corrections"
            f" stored, {outcome.repeated} already stored,"
            f" {outcome.ignored} lines ignored, {outcome.facts} facts"
        )
        if outcome.differing_facts:
            self.stdout.write(f"{outcome.differing_facts} facts differ from the export (different rules)")
        for each in outcome.errors:
            self.stderr.write(f"line {each.line}: {each.code} {' '.join(each.fields)}".rstrip())
        if outcome.failed:
            raise CommandError(f"{outcome.failed} lines were refused.")

    def report(self, source: BinaryIO, line: int | None) -> None:
        """How far it is, now and then: a large file takes its time."""
        if line is None:
            self.stderr.write("All lines are stored. Building facts and index.")
        elif time.monotonic() - self.reported_at >= REPORT_SECONDS:
            self.reported_at = time.monotonic()
            share = 100 * source.tell() // max(1, os.fstat(source.fileno()).st_size)
            self.stderr.write(f"{line} lines, {share} %")
