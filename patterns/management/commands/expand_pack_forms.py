"""script/manage expand_pack_forms"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from patterns.management.command import DescribedCommand
from patterns.matching.expansion import expand_alias
from patterns.rules.pack import list_russian_aliases

HEADER = (
    "# Made from the Russian lemmas of this pack by `manage.py expand_pack_forms`; edit the lemmas, not this file.\n"
)


class Command(DescribedCommand):
    help = """Write out the forms of a pack's Russian words, so that none are worked out while messages are read.

Needs pymorphy3 and its dictionary.

example:
  script/manage expand_pack_forms patterns/packs/fashion
"""
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pack", help="the pack directory")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = Path(options["pack"])
        lemmas = list_russian_aliases(folder)
        try:
            forms = {lemma: [form for form in expand_alias(lemma) if form != lemma] for lemma in lemmas}
        except ImportError:
            raise CommandError("pymorphy3 is not installed: pip install pymorphy3 pymorphy3-dicts-ru") from None
        lines = [f"{lemma}: [{', '.join(words)}]\n" for lemma, words in forms.items() if words]
        (folder / "forms_ru.yaml").write_text(HEADER + "".join(lines), encoding="utf-8")
        self.stdout.write(f"{len(lines)} lemmas, {sum(map(len, forms.values()))} forms")
