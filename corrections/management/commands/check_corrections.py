"""How well corrections are recognised on a labelled corpus."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.db import DatabaseError

from corrections.evaluation.corpus import Verdict, judge_cases, read_cases
from patterns.management.command import DescribedCommand
from patterns.registry import get_rule_set

DEFAULT_CORPUS = Path("tests/data/corrections/proof")


class Command(DescribedCommand):
    help = """Measure the recognition of corrections on a labelled corpus (docs/corrections.md says what is in one).

Prints how many replies cause exactly the expected operations, by expected action and by language, and the
cases that do not. Changes nothing.

  script/manage check_corrections
  script/manage check_corrections --corpus my-cases.jsonl --min-exact 0.9"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--corpus", type=Path, help=f"a JSON Lines file or folder; default: {DEFAULT_CORPUS}")
        parser.add_argument(
            "--errors", type=int, default=20, help="number of mistakes to print (default: 20; 0 = none)"
        )
        parser.add_argument("--min-exact", type=float, default=0.0, help="fail below this rate, 0 to 1")

    def handle(self, *args: Any, **options: Any) -> None:
        path = options["corpus"] or Path(settings.BASE_DIR) / DEFAULT_CORPUS
        if not path.exists():
            raise CommandError(f"There is no corpus at {path}. Give one with --corpus.")
        try:
            verdict = judge_cases(read_cases(path), rule_set=get_rule_set(tenant_id=None))
        except ValueError as error:
            raise CommandError(str(error)) from None
        except DatabaseError:
            raise CommandError(
                "The rules of the database cannot be read: it is not there or lacks its tables."
                " Start the service or run `manage.py migrate` first."
            ) from None
        self._print(verdict, errors=options["errors"])
        if verdict.rate < options["min_exact"]:
            raise CommandError(f"{verdict.rate:.3f} exact, below {options['min_exact']:.3f}")

    def _print(self, verdict: Verdict, *, errors: int) -> None:
        self.stdout.write(f"exact {verdict.exact} of {verdict.total} ({verdict.rate:.1%})")
        if verdict.types_asked:
            self.stdout.write(f"correction type right in {verdict.types_right} of {verdict.types_asked} of these")
        self._print_groups("by expected action", verdict.by_action)
        self._print_groups("by language", verdict.by_language)
        for case, outcomes in verdict.mistakes[:errors]:
            extra = sorted(map(_describe, outcomes - case.outcomes)) or ["nothing"]
            missing = sorted(map(_describe, case.outcomes - outcomes)) or ["nothing"]
            self.stdout.write(f"\n{case.id} [{case.language}] {case.turn!r} -> {case.reply!r}")
            self.stdout.write(f"  too much: {', '.join(extra)}; missing: {', '.join(missing)}")

    def _print_groups(self, title: str, groups: dict[str, Counter[str]]) -> None:
        self.stdout.write(f"\n{title}")
        for name, counter in sorted(groups.items()):
            self.stdout.write(f"  {name:16}{counter['exact']:4} of {counter['total']}")


def _describe(outcome: tuple[str, str, str, str | None]) -> str:
    kind, knowledge_type, knowledge_key, value = outcome
    return f"{kind} {knowledge_type}/{knowledge_key}" + (f" = {value}" if value is not None else "")
