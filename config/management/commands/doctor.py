"""script/manage doctor"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from config.doctor import BAD, GOOD, examine
from patterns.management.command import DescribedCommand


class Command(DescribedCommand):
    help = """Say what is wrong with this installation and how to mend it.

Looks at database, role, migrations, keys, cache, rules, settings, clock, beat, work lists, workers, extraction.
Exit code 1 when something is bad.

  script/manage doctor
  script/manage doctor --quiet      only what is not in order"""

    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="show only problems")

    def handle(self, *args: Any, **options: Any) -> None:
        bad = 0
        for finding in examine(clock=timezone.now):
            bad += finding.level == BAD
            if options["quiet"] and finding.level == GOOD:
                continue
            self.stdout.write(f"{finding.level:<5} {finding.name}: {finding.sentence}")
            if finding.mend:
                self.stdout.write(f"      {finding.mend}")
        if bad:
            raise CommandError(f"{bad} to fix", returncode=1)
