"""script/manage load_packs"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from patterns.management.command import DescribedCommand
from patterns.registry import RuleSetRefused, build_rule_set
from patterns.rules.pack import PackError, load_pack
from patterns.services.packs import PackDifference, import_pack

PACKS = Path(__file__).resolve().parents[2] / "packs"


class Command(DescribedCommand):
    help = """Bring the shipped rule packs into the database; quick when nothing has changed.

What staff have edited is kept; --force puts the pack's wording back.

examples:
  script/manage load_packs
  script/manage load_packs --pack path/to/pack --force
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pack", action="append", help="a pack directory; default: every shipped one")
        parser.add_argument("--force", action="store_true", help="overwrite changes by staff")

    def handle(self, *args: Any, **options: Any) -> None:
        folders = [Path(p) for p in options["pack"] or ()] or sorted(p for p in PACKS.iterdir() if p.is_dir())
        for folder in folders:
            try:
                difference = self._load(folder, is_forced=options["force"])
            except PackError as error:
                raise CommandError("\n".join(error.problems)) from None
            except RuleSetRefused as error:
                raise CommandError(f"{folder.name}: {error}. Nothing was loaded.") from None
            self._report(folder.name, difference)

    def _load(self, folder: Path, *, is_forced: bool) -> PackDifference:
        pack = load_pack(folder)
        return import_pack(pack, is_forced=is_forced, check=lambda: build_rule_set(pack, version=0))

    def _report(self, name: str, difference: PackDifference) -> None:
        if difference.is_empty:
            self.stdout.write(f"pack {name}: up to date")
        else:
            self.stdout.write(
                f"pack {name}: {len(difference.added)} added, {len(difference.changed)} changed, "
                f"{len(difference.switched_off)} switched off; rule set version {difference.version}"
            )
        for kept in difference.kept:
            self.stdout.write(f"  staff changes kept: {kept}")
