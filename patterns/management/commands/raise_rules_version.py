"""script/manage raise_rules_version"""

from __future__ import annotations

from typing import Any

from patterns.management.command import DescribedCommand
from patterns.services.versions import raise_rule_set_version


class Command(DescribedCommand):
    help = """Make every running process load rules and words anew, within seconds and without a restart.

example:
  script/manage raise_rules_version
"""

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"rule set version {raise_rule_set_version()}")
