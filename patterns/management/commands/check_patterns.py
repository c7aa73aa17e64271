"""script/manage check_patterns"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError

from patterns.management.command import DescribedCommand
from patterns.registry import RuleSetRefused, refresh_rule_sets
from patterns.rules.accuracy import Accuracy, Counts, list_corpora, load_corpus, measure_accuracy
from patterns.rules.pack import SHIPPED, PackError, compile_packs, load_pack
from patterns.rules.ruleset import RuleSet
from patterns.rules.selftest import list_failed_examples


class Command(DescribedCommand):
    help = """Measure the rules: precision and recall by type, language and rule, and every rule's own examples.

The rules are those in the database, or those of a pack directory. Mistakes are listed by message id.

examples:
  script/manage check_patterns
  script/manage check_patterns --corpus labelled.jsonl --min-precision 0.99 --min-recall 0.93
  script/manage check_patterns --pack patterns/packs/fashion
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--corpus", action="append", help="labelled messages, JSON Lines; can be repeated")
        parser.add_argument("--pack", nargs="?", const=str(SHIPPED), help="read a pack directory instead of the rows")
        parser.add_argument("--min-precision", type=float, default=0.0, help="fail below this precision")
        parser.add_argument("--min-recall", type=float, default=0.0, help="fail below this recall")
        parser.add_argument("--mistakes", type=int, default=20, help="how many mistakes to list; default: %(default)s")

    def handle(self, *args: Any, **options: Any) -> None:
        rule_set = self._get_rule_set(options["pack"])
        failures = list_failed_examples(rule_set)
        for failure in failures:
            kind = "positive" if failure.is_positive else "negative"
            self.stdout.write(f"{failure.rule}: {kind} example {failure.number + 1} fails")
        self.stdout.write(f"{len(rule_set.rules)} rules, version {rule_set.version}, {len(failures)} examples fail")
        too_low = False
        for path in self._list_corpora(options["corpus"]):
            accuracy = measure_accuracy(rule_set, load_corpus(path))
            self._report(path, accuracy, options["mistakes"])
            total = accuracy.total
            too_low |= total.precision < options["min_precision"] or total.recall < options["min_recall"]
        if failures or too_low:
            raise CommandError("the rules are below the required precision or recall")

    def _get_rule_set(self, pack: str | None) -> RuleSet:
        try:
            return compile_packs([load_pack(pack)], version=0) if pack else refresh_rule_sets()
        except PackError as error:
            raise CommandError("\n".join(error.problems)) from None
        except RuleSetRefused as error:
            raise CommandError(f"The stored rules are not active: {error}.") from None
        except DatabaseError:
            raise CommandError(
                "The rules of the database cannot be read: it is not there or lacks its tables."
                " Start the service or run `manage.py migrate` first, or read the shipped files with --pack."
            ) from None

    def _list_corpora(self, named: list[str] | None) -> list[Path]:
        if named:
            return [Path(path) for path in named]
        return list_corpora(Path(settings.BASE_DIR) / "tests" / "data" / "instant")

    def _report(self, path: Path, accuracy: Accuracy, limit: int) -> None:
        self.stdout.write(f"\n{path.name}: {accuracy.messages} messages, {len(accuracy.mistakes)} read wrong")
        self._write_row("all", accuracy.total)
        for title, groups in (
            ("type", accuracy.by_type),
            ("language", accuracy.by_language),
            ("rule", accuracy.by_rule),
        ):
            self.stdout.write(f"by {title}")
            for name in sorted(groups):
                self._write_row(f"  {name}", groups[name])
        if accuracy.dates:
            self.stdout.write(f"event dates right: {accuracy.dates_right} of {accuracy.dates}")
        for mistake in accuracy.mistakes[:limit]:
            false = ", ".join("/".join(fact) for fact in mistake.false)
            missed = ", ".join("/".join(fact) for fact in mistake.missed)
            self.stdout.write(
                f"  {mistake.message_id} [{mistake.language}] false: {false or '-'} missed: {missed or '-'}"
            )

    def _write_row(self, name: str, counts: Counts) -> None:
        self.stdout.write(
            f"{name:32}{counts.hits:6} right {counts.false:4} false {counts.missed:4} missed"
            f"   precision {counts.precision:.3f}  recall {counts.recall:.3f}"
        )
