"""Golden cases written by reviewers, as test data."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from corrections.review.golden import export_golden_cases
from memory.errors import CodedError
from memory.tenants.selectors import get_tenant


class Command(BaseCommand):
    help = """Write a tenant's golden cases as JSON Lines in the form of tests/data/corrections.

The texts are the reviewers' own; check_corrections reads the file.

  script/manage export_golden --tenant demo --out cases.jsonl
  script/manage check_corrections --corpus cases.jsonl"""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        return super().create_parser(prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--out", type=Path, help="a file; standard output unless said otherwise")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lines = list(export_golden_cases(tenant_id=get_tenant(slug=options["tenant"]).id))
        except CodedError as error:
            raise CommandError(error.message) from None
        if options["out"] is None:
            for line in lines:
                self.stdout.write(line)
            return
        options["out"].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        self.stdout.write(f"{len(lines)} cases")
