"""The second opinion on readings: what stood around true ones and false ones, as weights. Data of a pack, and pure.

The grammar knows what it lists. A reading can be wrong for reasons that nobody listed (another subject, shop talk, a
joke), and such readings have something about them: signs, each with a weight that `manage.py train_doubts` worked out
of labelled messages. Where the signs against a reading outweigh those for it by more than a limit, it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from patterns.rule import Rule

Sign = tuple[str, str]
"""A place and what stands there. A place that ends in "@" is about lists of the vocabulary: ("before@", "relation")."""
Signs = dict[str, Collection[str]]
"""Place -> what stands there, each once."""

_Table = dict[str, dict[str, int]]

FILE: Final = "doubts.json"
ALL_TYPES: Final = "all"
UNKNOWN: Final = "?"  # among lists: a word that stands in none
LIST: Final = "@"
NUMBER: Final = "#"
BIAS: Final[Sign] = ("bias", "")
TOLD: Final = 4  # signs that are told of a refusal

_PLACES: Final = {
    "before1": "right before it", "after1": "right behind it", "before": "before it", "within": "in it",
    "behind": "behind it",
}  # fmt: skip
_FORMS: Final = {
    "kind": "what kind of statement it is", "key": "what is read", "language": "the language of the message",
    "end": "how the sentence ends", "length": "how many words it is", "readings": "how many facts are read",
    "bias": "readings of this type in general",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Doubts:
    """The weights of a pack, in hundredths. `tables`: type -> place -> text -> weight; below zero speaks against.

    `rules`: slug -> imprint of each rule that was there to learn from; `languages`: of the messages.
    """

    version: int
    limit: int
    rules: Mapping[str, str]
    languages: frozenset[str]
    tables: Mapping[str, Mapping[str, Mapping[str, int]]]

    def list_judged(self, rules: Iterable[Rule]) -> frozenset[tuple[str, int]]:
        """(slug, version) of the rules whose readings may be doubted: those that were learnt from, as they were then.

        A rule that staff wrote or changed is none of them: nothing is known of what it reads.
        """
        return frozenset((rule.slug, rule.version) for rule in rules if self.rules.get(rule.slug) == make_imprint(rule))

    def weigh(self, knowledge_type: str, signs: Signs) -> int:
        """The sum of what the signs weigh; under `limit` the reading is doubtful."""
        table = self.tables.get(knowledge_type)
        if table is None:
            return self.limit
        total = table[BIAS[0]][BIAS[1]]
        for place, texts in signs.items():
            weights = table.get(place)
            if weights:
                for text in texts:
                    if text in weights:
                        total += weights[text]
        return total

    def list_against(self, knowledge_type: str, signs: Signs) -> tuple[str, ...]:
        """The signs that weigh most against a reading, as words for people. They may quote the message."""
        table = self.tables[knowledge_type]
        weighed = sorted((table.get(place, {}).get(text, 0), (place, text)) for place, text in list_pairs(signs))
        return tuple(describe_sign(sign) for weight, sign in weighed[:TOLD] if weight < 0)


def list_pairs(signs: Signs) -> Iterator[Sign]:
    """Each sign by itself."""
    return ((place, text) for place, texts in signs.items() for text in texts)


def make_imprint(rule: Rule) -> str:
    """What a rule reads by and what it promises, in eight letters: its pattern or category, kind and examples."""
    own = (rule.knowledge_type, rule.language, rule.kind, rule.category, rule.object_side, rule.pattern)
    text = "\n".join((*own, *sorted(rule.positive)))
    return blake2b(text.encode(), digest_size=4).hexdigest()


def describe_sign(sign: Sign) -> str:
    """A sign as words: “squat” two words before it; a word of the list relation in it."""
    place, text = sign
    where = _PLACES.get(place.removesuffix(LIST))
    if where is None:
        return f"{_FORMS.get(place, place)} ({text})" if text else _FORMS.get(place, place)
    if not text:
        return f"nothing {where}"
    if not place.endswith(LIST):
        return f"{'a number' if text == NUMBER else f'“{text}”'} {where}"
    return f"a word that nobody knows {where}" if text == UNKNOWN else f"a word of the list {text} {where}"


def load_doubts(folder: Path) -> Doubts | None:
    """The weights of a pack directory; None where it has none. Raises ValueError on a file of another make."""
    path = folder / FILE
    if not path.exists():
        return None
    return read_doubts(json.loads(path.read_text(encoding="utf-8")))


def read_doubts(data: Mapping[str, Any]) -> Doubts:
    """Weights as they are kept (type -> place -> what stands there -> hundredths), ready to be looked up."""
    weights = data["weights"]
    tables = {kind: _add_up(weights.get(ALL_TYPES, {}), weights.get(kind, {})) for kind in data["types"]}
    return Doubts(int(data["version"]), int(data["limit"]), data["rules"], frozenset(data["languages"]), tables)


def _add_up(shared: _Table, own: _Table) -> _Table:
    table: _Table = {BIAS[0]: {BIAS[1]: 0}}
    for places in (shared, own):
        for place, texts in places.items():
            weights = table.setdefault(place, {})
            for text, weight in texts.items():
                weights[text] = weights.get(text, 0) + weight
    return table


def write_doubts(folder: Path, data: Mapping[str, Any]) -> None:
    """Keep weights in a pack directory, one line for each type and place, so that changes can be compared. Writes."""
    head = {name: value for name, value in data.items() if name != "weights"}
    lines = [f'"{name}": {json.dumps(value, ensure_ascii=False, sort_keys=True)}' for name, value in head.items()]
    groups = [
        f'"{kind}": {{\n'
        + ",\n".join(
            f"{json.dumps(place)}: {json.dumps(texts, ensure_ascii=False, sort_keys=True, separators=(',', ':'))}"
            for place, texts in sorted(places.items())
        )
        + "\n}"
        for kind, places in sorted(data["weights"].items())
    ]
    text = "{\n" + ",\n".join([*lines, '"weights": {\n' + ",\n".join(groups) + "\n}"]) + "\n}\n"
    (folder / FILE).write_text(text, encoding="utf-8")
