"""Golden cases written by reviewers, as test data."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from corrections.review.golden import export_golden_cases
from corrections.review.message_cases import export_extraction_cases, export_message_cases
from memory.tenants.command import CodedCommand
from memory.tenants.selectors import get_tenant


def _write_corrections(tenant_id: UUID) -> str:
    return "".join(f"{line}\n" for line in export_golden_cases(tenant_id=tenant_id))


def _write_messages(tenant_id: UUID) -> str:
    return "".join(f"{line}\n" for line in export_message_cases(tenant_id=tenant_id))


def _write_extraction(tenant_id: UUID) -> str:
    return export_extraction_cases(tenant_id=tenant_id)


KINDS: Final[dict[str, Callable[[UUID], str]]] = {
    "corrections": _write_corrections,
    "instant": _write_messages,
    "extraction": _write_extraction,
}


class Command(CodedCommand):
    help = """Write a tenant's golden cases in the form of the test data.

corrections: lines of tests/data/corrections, read by check_corrections. instant: judged items as lines of
tests/data/instant, read by check_patterns. extraction: the same as cases of tests/data/golden/extraction.yaml,
read by run_golden. The texts are the reviewers' own.

  script/manage export_golden --tenant demo --out cases.jsonl
  script/manage check_corrections --corpus cases.jsonl
  script/manage export_golden --tenant demo --kind instant --out messages.jsonl
  script/manage check_patterns --corpus messages.jsonl
  script/manage export_golden --tenant demo --kind extraction --out cases.yaml
  script/manage run_golden --cases cases.yaml --endpoint https://host/v1 --model some-model"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--kind", choices=KINDS, default="corrections", help="default: corrections")
        parser.add_argument("--out", type=Path, help="output file; default: standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        content = KINDS[options["kind"]](get_tenant(slug=options["tenant"]).id)
        if options["out"] is None:
            self.stdout.write(content, ending="")
            return
        options["out"].write_text(content, encoding="utf-8")
        beginning = "- name: " if options["kind"] == "extraction" else "{"
        count = sum(line.startswith(beginning) for line in content.splitlines())
        self.stdout.write(f"{count} cases")
