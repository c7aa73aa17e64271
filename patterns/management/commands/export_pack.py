"""script/manage export_pack"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandParser

from patterns.management.command import DescribedCommand
from patterns.services.packs import export_pack


class Command(DescribedCommand):
    help = """Write the rules and words in force as a pack directory that load_packs and the console take back.

examples:
  script/manage export_pack backup/rules
  script/manage export_pack backup/own --tenant 0190f5a2-6f3c-7c4e-9a55-2d6f4c1b8e70
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="output directory; existing files are replaced")
        parser.add_argument("--tenant", type=UUID, help="id of a tenant, for its own rows; default: the shared rows")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        for file in export_pack(folder=folder, tenant_id=options["tenant"]):
            self.stdout.write(str(file))
