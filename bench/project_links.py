"""Links that an import reads from prose: precision and recall over labelled sentences.

    .venv/bin/python -m bench.project_links [FILE ...]

A line of a file is `WORD|NUMBERS|SENTENCE`: what the records are called, and which of them the sentence names.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.projects.importing.records import Naming

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "unit" / "memory" / "projects"
FILES = (FOLDER / "mentions.txt", FOLDER / "mentions_blind.txt")


@dataclass(frozen=True, slots=True)
class Figures:
    """How many links were read rightly, wrongly, and not at all."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """The share of the read links that are right."""
        return self.right / (self.right + self.wrong)

    @property
    def recall(self) -> float:
        """The share of the right links that were read."""
        return self.right / (self.right + self.missed)


def measure_links(file: Path) -> Figures:
    """The figures of one labelled file."""
    right = wrong = missed = 0
    for line in file.read_text(encoding="utf-8").splitlines():
        word, numbers, sentence = line.split("|", 2)
        meant = {each for each in numbers.split(",") if each}
        read = set(Naming((word,)).list_mentions(sentence))
        right, wrong, missed = right + len(meant & read), wrong + len(read - meant), missed + len(meant - read)
    return Figures(right, wrong, missed)


def main(files: Sequence[str]) -> None:
    for file in [Path(each) for each in files] or FILES:
        found = measure_links(file)
        print(f"{file.name}: precision {found.precision:.3f}, recall {found.recall:.3f} ({found})")


if __name__ == "__main__":
    main(sys.argv[1:])
