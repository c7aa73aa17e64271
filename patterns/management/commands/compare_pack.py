"""script/manage compare_pack"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser

from patterns.management.command import DescribedCommand
from patterns.rules.pack import SHIPPED, PackError, load_pack
from patterns.services.bundles import PackRow, compare_pack

MARKS = {"kept": " ", "added": "+", "removed": "-"}


class Command(DescribedCommand):
    help = """Say what differs between a pack's files and the rows: "-" is in the rows, "+" in the files.

examples:
  script/manage compare_pack
  script/manage compare_pack backup/rules
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, default=SHIPPED, help="default: the shipped pack")
        parser.add_argument("--tenant", type=UUID, help="id of a tenant, for its own rows; default: the shared rows")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            rows = compare_pack(load_pack(options["folder"]), tenant_id=options["tenant"])
        except PackError as error:
            raise CommandError("\n".join(error.problems)) from None
        for row in rows:
            self._write(row)
        self.stdout.write(f"{len(rows)} differ")

    def _write(self, row: PackRow) -> None:
        self.stdout.write(f"{row.kind} {row.name}: {'differs' if row.where == 'both' else f'only in the {row.where}'}")
        for field in row.differences:
            for line in field.lines:
                self.stdout.write(f"  {field.name}: {MARKS[line.tone]} {line.text}")
