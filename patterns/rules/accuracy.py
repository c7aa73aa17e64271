"""Precision and recall of a rule set on labelled messages (SPEC Q-3). Pure."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Literal

from patterns.kinds.table import VALUED_TYPES
from patterns.rules.ruleset import RuleSet

UNSCORED_KEYS = frozenset(("shoe_size", "abaya_size"))

Fact = tuple[str, str, str]


@dataclass(slots=True)
class Counts:
    """Hits, false facts and missed facts."""

    hits: int = 0
    false: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        """Share of what was read that is right; 1 when nothing was read."""
        return self.hits / (self.hits + self.false) if self.hits + self.false else 1.0

    @property
    def recall(self) -> float:
        """Share of what is there that was read; 1 when nothing is there."""
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 1.0


@dataclass(frozen=True, slots=True)
class Mistake:
    """One message read wrong. `rules` made the false facts."""

    message_id: str
    language: str
    false: tuple[Fact, ...]
    missed: tuple[Fact, ...]
    rules: tuple[str, ...]


@dataclass(slots=True)
class Accuracy:
    """Counts in all and by type, language and rule; dates of the events that were found."""

    total: Counts = field(default_factory=Counts)
    by_type: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counts))
    by_language: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counts))
    by_rule: dict[str, Counts] = field(default_factory=lambda: defaultdict(Counts))
    dates: int = 0
    dates_right: int = 0
    messages: int = 0
    mistakes: list[Mistake] = field(default_factory=list)


def load_corpus(path: Path) -> list[dict[str, Any]]:
    """The labelled messages of a JSON Lines file, or of all in a folder: id, language, now, text, expect, optional."""
    return [row for file in list_corpora(path) for row in load_corpus(file)] if path.is_dir() else read_lines(path)


def list_corpora(folder: Path) -> list[Path]:
    """The corpora of a folder by name: JSON Lines files, the compressed ones too, and folders of them."""
    folders = (path for path in folder.iterdir() if path.is_dir())
    return sorted((*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz"), *folders))


def name_corpus(path: Path) -> str:
    """What a corpus is called: the name of its file without the endings, or of its folder."""
    return path.name.partition(".")[0]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file, which may be compressed (`.gz`)."""
    with open_lines(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def open_lines(path: Path, mode: Literal["rt", "at"] = "rt") -> IO[str]:
    """A text file, compressed or not. Lines that are added to a compressed one are a part of their own in it."""
    if path.suffix == ".gz":
        return gzip.open(path, mode, encoding="utf-8")
    return path.open(mode, encoding="utf-8")


def measure_accuracy(rule_set: RuleSet, corpus: Iterable[Mapping[str, Any]]) -> Accuracy:
    """Read every message and compare with its labels; optional facts are neither credited nor punished."""
    accuracy = Accuracy()
    for row in corpus:
        _measure_row(rule_set, row, accuracy)
    return accuracy


def name_fact(knowledge_type: str, key: str, value: object) -> Fact:
    """A fact as labels and readings are compared: for most types the key is the fact (VALUED_TYPES)."""
    text = str(value).upper().replace("–", "-") if knowledge_type in VALUED_TYPES else ""
    return knowledge_type, key.lower(), text.removesuffix(" AED")


def _measure_row(rule_set: RuleSet, row: Mapping[str, Any], accuracy: Accuracy) -> None:
    said_at = datetime.fromisoformat(row["now"])
    readings = [r for r in rule_set.read(row["text"], said_at=said_at).readings if r.knowledge_key not in UNSCORED_KEYS]
    read = {name_fact(r.knowledge_type, r.knowledge_key, r.value): r for r in readings}
    expected = {name_fact(f["type"], f["key"], f["value"]): f for f in row["expect"]}
    optional = {name_fact(f["type"], f["key"], f["value"]) for f in row.get("optional", ())} - set(expected)
    false = tuple(sorted(set(read) - set(expected) - optional))
    missed = tuple(sorted(set(expected) - set(read)))
    accuracy.messages += 1
    for fact in set(read) & set(expected):
        _count(accuracy, fact, row["language"], read[fact].rule, "hits")
        _count_date(accuracy, expected[fact], read[fact].expires_on, said_at)
    for fact in false:
        _count(accuracy, fact, row["language"], read[fact].rule, "false")
    for fact in missed:
        _count(accuracy, fact, row["language"], "", "missed")
    if false or missed:
        rules = tuple(read[fact].rule for fact in false)
        accuracy.mistakes.append(Mistake(str(row["id"]), row["language"], false, missed, rules))


def _count(accuracy: Accuracy, fact: Fact, language: str, rule: str, what: str) -> None:
    counted = [accuracy.total, accuracy.by_type[fact[0]], accuracy.by_language[language]]
    for counts in [*counted, *([accuracy.by_rule[rule]] if rule else [])]:
        setattr(counts, what, getattr(counts, what) + 1)


def _count_date(accuracy: Accuracy, label: Mapping[str, Any], expires_on: Any, said_at: datetime) -> None:
    if label.get("expires_days") is None:
        return
    accuracy.dates += 1
    if expires_on is not None:
        days = (expires_on - said_at.date()).days
        accuracy.dates_right += abs(days - label["expires_days"]) <= label.get("expires_tol", 1)
