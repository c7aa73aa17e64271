"""script/manage train_doubts"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from patterns.management.command import DescribedCommand
from patterns.rules.accuracy import list_corpora, load_corpus, name_corpus, open_lines
from patterns.rules.doubting import compile_plain, list_misread, load_misread, train_doubts
from patterns.rules.golden import list_broken_cases, load_golden_cases
from patterns.rules.pack import SHIPPED, Pack, PackError, compile_packs, load_pack
from patterns.rules.selftest import list_failed_examples
from patterns.steps.doubt_weights import read_doubts, write_doubts

LIMIT = 30


class Command(DescribedCommand):
    help = """Work out the second opinion of a pack (doubts.json) from labelled messages.

It learns from what the rules read in the messages, from false readings that were noted earlier, and from the rules'
own examples. Sets named held_out* are never learnt from, and a set that rules are to be measured on first must not be
among the files yet. Nothing is written when an example of a rule or a golden case would come out otherwise.

With --note nothing is learnt: what the rules read falsely is added to the noted readings. Do so before rules are mended
on new messages, since afterwards they make no mistakes there to learn from.

examples:
  script/manage train_doubts --note --corpus tests/data/instant/dev11.jsonl.gz
  script/manage train_doubts
  script/manage train_doubts --pack patterns/packs/fashion --limit 30
"""

    def add_arguments(self, parser: CommandParser) -> None:
        data = Path(settings.BASE_DIR) / "tests" / "data"
        parser.add_argument("--pack", type=Path, default=SHIPPED, help="a pack directory; default: the shipped pack")
        parser.add_argument(
            "--corpus", action="append", type=Path, help="labelled messages, JSON Lines; can be repeated"
        )
        parser.add_argument(
            "--misread", type=Path, default=data / "doubts" / "misread.jsonl.gz", help="noted false readings"
        )
        parser.add_argument(
            "--limit",
            type=int,
            default=LIMIT,
            help="hundredths; higher refuses more, true ones too; default: %(default)s",
        )
        parser.add_argument("--note", action="store_true", help="only add what is read falsely to the noted readings")

    def handle(self, *args: Any, **options: Any) -> None:
        paths = options["corpus"] or _list_learnt(Path(settings.BASE_DIR) / "tests" / "data")
        corpora = {name_corpus(path): load_corpus(path) for path in paths}
        try:
            pack = load_pack(options["pack"])
            if options["note"]:
                self._note(pack, corpora, options["misread"])
            else:
                self._train(pack, corpora, options)
        except PackError as error:
            raise CommandError("\n".join(error.problems)) from None

    def _note(self, pack: Pack, corpora: dict[str, list[dict[str, Any]]], path: Path) -> None:
        known = set(load_misread(path))
        new = [one for one in list_misread(compile_plain(pack), corpora) if one not in known]
        with open_lines(path, "at") as file:
            file.writelines(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in new)
        self.stdout.write(f"{len(new)} false readings noted, {len(known)} were known")

    def _train(self, pack: Pack, corpora: dict[str, list[dict[str, Any]]], options: dict[str, Any]) -> None:
        training = train_doubts(pack, corpora, load_misread(options["misread"]), limit=options["limit"])
        doubts = read_doubts(training.data)
        rule_set = compile_packs([replace(pack, settings={**pack.settings, "doubts": doubts})], version=0)
        failing: Sequence[object] = [
            *list_failed_examples(rule_set), *list_broken_cases(rule_set, load_golden_cases()),
        ]  # fmt: skip
        if failing:
            raise CommandError(f"{len(failing)} examples of rules or golden cases would be refused: nothing is written")
        write_doubts(options["pack"], training.data)
        self.stdout.write(
            f"{training.true} true readings, {training.lost} of them refused;"
            f" {training.false} false readings, {training.refused} of them refused"
        )


def _list_learnt(folder: Path) -> list[Path]:
    """The labelled messages that may be learnt from, and plain statements that are never to be doubted."""
    sets = [path for path in list_corpora(folder / "instant") if not path.name.startswith("held_out")]
    return [*sets, folder / "doubts" / "plain.jsonl", folder / "doubts" / "pairs.jsonl.gz"]
