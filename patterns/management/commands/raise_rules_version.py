"""manage.py raise_rules_version"""

from __future__ import annotations

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from patterns.services.versions import raise_rule_set_version


class Command(BaseCommand):
    help = """Make every running process load rules and words anew, within seconds and without a restart.

example:
  manage.py raise_rules_version
"""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"rule set version {raise_rule_set_version()}")
