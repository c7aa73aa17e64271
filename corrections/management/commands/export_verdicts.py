"""Verdicts of reviewers, one a line."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from corrections.review.listing import export_verdicts
from memory.tenants.command import CodedCommand
from memory.tenants.selectors import get_tenant


class Command(CodedCommand):
    help = """Write a tenant's verdicts as JSON Lines: ids of items, codes, times; no user and no text.

Verdicts that were taken back are among them, with `undone_at`.

  script/manage export_verdicts --tenant demo --days 30 --out verdicts.jsonl"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--days", type=int, default=365, help="number of days back (default: 365)")
        parser.add_argument("--out", type=Path, help="output file; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = get_tenant(slug=options["tenant"])
        since = timezone.now() - timedelta(days=max(1, options["days"]))
        lines = list(export_verdicts(tenant_id=tenant.id, since=since))
        if options["out"] is None:
            for line in lines:
                self.stdout.write(line)
            return
        options["out"].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        self.stdout.write(f"{len(lines)} verdicts")
