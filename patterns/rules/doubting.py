"""Working out the weights of the second opinion from labelled messages: logistic regression. Pure, deterministic.

What is learnt from: what the rules read in labelled messages, true and false; and false readings that were noted of
earlier rule sets and of rule sets without their guards (`Misread`), since today's rules were mended on the same
messages and read hardly anything false in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from patterns.rule import Rule
from patterns.rules.accuracy import UNSCORED_KEYS, name_fact, read_lines
from patterns.rules.pack import Pack, compile_packs
from patterns.rules.ruleset import RuleSet
from patterns.rules.selftest import SAID_AT
from patterns.steps.doubt_weights import ALL_TYPES, BIAS, Sign, list_pairs, make_imprint
from patterns.steps.doubts import list_signs
from patterns.steps.draft import Draft
from patterns.steps.message import Message
from patterns.types import Reading

MIN_SEEN: Final = 5  # examples that show a sign before it is weighed
SPREAD: Final = 0.3  # how far weights may go: the variance that is believed of them beforehand
LEAST: Final = 3  # hundredths; lighter weights are left out
MARGIN: Final = 30  # hundredths above the limit that labelled facts and examples of rules are to keep
ROUNDS: Final = 6  # times that true readings which would be refused are counted double, and all is worked out anew
WEIGHTS: Final = {"fact": 1.0, "sample": 3.0, "example": 3.0, "first_sight": 3.0, "unguarded": 0.5}


@dataclass(frozen=True, slots=True)
class Misread:
    """A false reading that was noted: which message of which set, what was read, by what kind of rule, and where.

    `how`: `first_sight` by rules that had not been mended on the message, or `unguarded` by rules without guards.
    """

    set: str
    id: str
    type: str
    key: str
    kind: str
    language: str
    start: int
    end: int
    how: str


@dataclass(frozen=True, slots=True)
class Example:
    """One reading to learn from."""

    knowledge_type: str
    signs: frozenset[Sign]
    is_true: bool
    weight: float
    language: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Training:
    """What came of it: the weights as they are kept, and how many readings of each sort were learnt from."""

    data: dict[str, Any]
    true: int
    false: int
    refused: int
    lost: int


def load_misread(path: Path) -> list[Misread]:
    """The noted false readings of a JSON Lines file; none where there is no file."""
    if not path.exists():
        return []
    return [Misread(**row) for row in read_lines(path)]


def list_misread(rule_set: RuleSet, corpora: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Misread]:
    """What rules read falsely in labelled messages. `rule_set` is without a second opinion."""
    rules = {rule.slug: rule for rule in rule_set.rules}
    found: list[Misread] = []
    for name, corpus in corpora.items():
        for row in corpus:
            known = _list_names((*row["expect"], *row.get("optional", ())))
            for one in rule_set.read(row["text"], said_at=datetime.fromisoformat(row["now"])).readings:
                fact = name_fact(one.knowledge_type, one.knowledge_key, one.value)
                if fact not in known and one.knowledge_key not in UNSCORED_KEYS:
                    found.append(replace(_describe(one, rules[one.rule]), set=name, id=str(row["id"])))
    return found


def _describe(one: Reading, rule: Rule) -> Misread:
    """A reading as it is noted."""
    kind, language = rule.kind, rule.language
    return Misread("", "", one.knowledge_type, one.knowledge_key, kind, language, one.start, one.end, "first_sight")


def compile_plain(pack: Pack) -> RuleSet:
    """The rules of a pack without their second opinion. Raises PackError."""
    return compile_packs([replace(pack, settings={**pack.settings, "doubts": None})], version=0)


def train_doubts(
    pack: Pack, corpora: Mapping[str, Sequence[Mapping[str, Any]]], misread: Iterable[Misread], *, limit: int
) -> Training:
    """Weights for a pack. `corpora`: labelled messages by the name of their set. `limit` in hundredths.

    Readings that the labels leave open are not learnt from. Raises PackError when the pack does not compile.
    """
    plain = compile_plain(pack)
    examples = list_examples(plain, corpora, misread)
    tables = fit_weights(examples, limit=limit)
    kinds = sorted({example.knowledge_type for example in examples})
    seen = Counter(example.rule for example in examples if example.is_true and example.rule)
    data = {
        "version": 1,
        "limit": limit,
        "types": kinds,
        "languages": sorted({example.language for example in examples if example.language != "other"}),
        "rules": {
            rule.slug: make_imprint(rule) for rule in sorted(plain.rules, key=lambda r: r.slug) if seen[rule.slug]
        },
        "weights": _group(tables),
    }
    scores = [(_score(tables, example), example.is_true) for example in examples]
    return Training(
        data,
        true=sum(is_true for _, is_true in scores),
        false=sum(not is_true for _, is_true in scores),
        refused=sum(score < limit for score, is_true in scores if not is_true),
        lost=sum(score < limit for score, is_true in scores if is_true),
    )


def list_examples(
    rule_set: RuleSet, corpora: Mapping[str, Sequence[Mapping[str, Any]]], misread: Iterable[Misread]
) -> list[Example]:
    """Every reading to learn from, each once. `rule_set` is without a second opinion."""
    found: dict[tuple[str, str, str, int, int], Example] = {}
    for name, corpus in corpora.items():
        for row in corpus:
            _note_readings(rule_set, row, "fact" if name in ("wordings", "hard_negatives") else "sample", found)
    texts = {(name, str(row["id"])): str(row["text"]) for name, corpus in corpora.items() for row in corpus}
    for one in misread:
        text = texts.get((one.set, one.id))
        if text is not None and (text, one.type, one.key, one.start, one.end) not in found:
            found[text, one.type, one.key, one.start, one.end] = _make_misread(rule_set, text, one)
    for rule in rule_set.rules:
        for text in rule.positive:
            row = {"text": text, "now": SAID_AT.isoformat(), "expect": None, "type": rule.knowledge_type}
            _note_readings(rule_set, row, "example", found)
    return list(found.values())


def _note_readings(
    rule_set: RuleSet, row: Mapping[str, Any], sort: str, found: dict[tuple[str, str, str, int, int], Example]
) -> None:
    """The readings of a message as examples. With no labels (an example of a rule) those of its type are true."""
    text = str(row["text"])
    result = rule_set.read(text, said_at=datetime.fromisoformat(row["now"]))
    if not result.readings:
        return
    message = rule_set.analyse(text)
    expected, optional = (_list_names(row.get(name) or ()) for name in ("expect", "optional"))
    rules = {rule.slug: rule for rule in rule_set.rules}
    for reading in result.readings:
        name = name_fact(reading.knowledge_type, reading.knowledge_key, reading.value)
        is_example = row["expect"] is None
        is_open = name in optional - expected or reading.knowledge_key in UNSCORED_KEYS
        place = (text, reading.knowledge_type, reading.knowledge_key, reading.start, reading.end)
        if is_open or place in found or (is_example and reading.knowledge_type != row["type"]):
            continue
        is_true = is_example or name in expected
        one = _describe(reading, rules[reading.rule])
        signs = _list_signs(message, one, language=result.language, count=len(result.readings))
        weight = WEIGHTS[sort if is_true else "first_sight"]
        found[place] = Example(one.type, signs, is_true, weight, result.language, reading.rule)


def _make_misread(rule_set: RuleSet, text: str, one: Misread) -> Example:
    result = rule_set.read(text, said_at=SAID_AT)
    signs = _list_signs(rule_set.analyse(text), one, language=result.language, count=len(result.readings) + 1)
    return Example(one.type, signs, False, WEIGHTS[one.how], result.language)


def _list_signs(message: Message, one: Misread, *, language: str, count: int) -> frozenset[Sign]:
    """The signs of the tokens that the raw characters of a reading touch."""
    spans = [message.normal.raw_span(token.start, token.end) for token in message.tokens]
    touched = [index for index, (first, last) in enumerate(spans) if first < one.end and last > one.start] or [0]
    rule = Rule("", one.type, one.language, "extract", one.kind, "", (), ())
    draft = Draft(one.type, one.key, "", touched[0], touched[-1] + 1, rule)
    return frozenset(list_pairs(list_signs(message, draft, language=language, count=count)))


def _list_names(facts: Iterable[Mapping[str, Any]]) -> set[tuple[str, str, str]]:
    return {name_fact(fact["type"], fact["key"], fact["value"]) for fact in facts}


def fit_weights(examples: Sequence[Example], *, limit: int) -> dict[tuple[str, Sign], int]:
    """(type or "all", sign) -> hundredths. True readings that would be refused count double, a few times over."""
    matrix = _Matrix.make(examples)
    truth = np.array([example.is_true for example in examples], dtype=float)
    counts = np.array([example.weight for example in examples])
    weights = np.zeros(len(matrix.names))
    for _ in range(ROUNDS):
        weights = _regress(matrix, truth, counts, weights)
        low = (matrix.multiply(weights) * 100 < limit + MARGIN) & (truth == 1)
        if not low.any():
            break
        counts = np.where(low, counts * 2, counts)
    hundredths = np.rint(weights * 100).astype(int)
    return {name: int(w) for name, w in zip(matrix.names, hundredths, strict=True) if abs(w) >= LEAST}


def _score(tables: Mapping[tuple[str, Sign], int], example: Example) -> int:
    signs = (*example.signs, BIAS)
    return sum(tables.get((kind, sign), 0) for sign in signs for kind in (ALL_TYPES, example.knowledge_type))


def _group(tables: Mapping[tuple[str, Sign], int]) -> dict[str, dict[str, dict[str, int]]]:
    grouped: dict[str, dict[str, dict[str, int]]] = {}
    for (kind, (place, text)), weight in sorted(tables.items()):
        grouped.setdefault(kind, {}).setdefault(place, {})[text] = weight
    return grouped


@dataclass(frozen=True, slots=True)
class _Matrix:
    """Which examples (rows) show which signs (columns), for all types together and for each."""

    names: list[tuple[str, Sign]]
    rows: np.ndarray
    columns: np.ndarray
    height: int

    @classmethod
    def make(cls, examples: Sequence[Example]) -> _Matrix:
        shown = [
            [(kind, sign) for sign in (*sorted(example.signs), BIAS) for kind in (ALL_TYPES, example.knowledge_type)]
            for example in examples
        ]
        seen = Counter(name for names in shown for name in names)
        names = sorted(name for name, count in seen.items() if count >= MIN_SEEN)
        places = {name: place for place, name in enumerate(names)}
        pairs = [(row, places[name]) for row, many in enumerate(shown) for name in many if name in places]
        both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return cls(names, both[:, 0], both[:, 1], len(examples))

    def multiply(self, weights: np.ndarray) -> np.ndarray:
        """The sum of the weights of each example."""
        return np.bincount(self.rows, weights=weights[self.columns], minlength=self.height)

    def collect(self, values: np.ndarray) -> np.ndarray:
        """The sum over the examples that show each sign."""
        return np.bincount(self.columns, weights=values[self.rows], minlength=len(self.names))


def _regress(matrix: _Matrix, truth: np.ndarray, counts: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Newton's method, each step by conjugate gradients, until the slope is flat. From the weights given."""
    for _ in range(20):
        likely = 1 / (1 + np.exp(-matrix.multiply(weights)))
        slope = matrix.collect(counts * (likely - truth)) + weights / SPREAD
        if np.abs(slope).max() < 1e-2:
            break
        weights = weights - _solve(matrix, counts * likely * (1 - likely), slope)
    return weights


def _solve(matrix: _Matrix, curve: np.ndarray, slope: np.ndarray) -> np.ndarray:
    step, rest = np.zeros_like(slope), slope.copy()
    direction, square = rest.copy(), float(rest @ rest)
    enough = square * 1e-6
    for _ in range(60):
        bent = matrix.collect(curve * matrix.multiply(direction)) + direction / SPREAD
        length = square / float(direction @ bent)
        step += length * direction
        rest -= length * bent
        before, square = square, float(rest @ rest)
        if square < enough:
            break
        direction = rest + (square / before) * direction
    return step
