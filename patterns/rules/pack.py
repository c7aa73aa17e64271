"""Packs: directories of YAML that hold every word and rule; loading, linting and compiling them into one rule set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from patterns.kinds.kind import Kind
from patterns.kinds.table import KINDS
from patterns.matching.lexicon import Entry
from patterns.matching.phrases import PHRASES, is_phrases, list_phrase_problems
from patterns.rule import Rule
from patterns.steps.doubt_weights import load_doubts

if TYPE_CHECKING:
    from patterns.rules.ruleset import RuleSet

SHIPPED = Path(__file__).parents[1] / "packs" / "fashion"
AS_IT_STANDS = "="
PHRASES_FOLDER = "corrections"


class PackError(Exception):
    """A pack that cannot be used. `problems`: every fault found, each a sentence for the person who edits the pack."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(problems))


@dataclass(frozen=True, slots=True)
class Pack:
    """The content of one pack directory."""

    name: str
    rules: tuple[Rule, ...]
    entries: tuple[Entry, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)


def _split_aliases(text: object) -> list[str]:
    return [alias.strip() for alias in str(text).split(",") if alias.strip()]


def _read_entries(document: Mapping[str, Any], forms: Mapping[str, list[str]]) -> Iterable[Entry]:
    for category, canonicals in document.items():
        for canonical, languages in canonicals.items():
            for language, text in languages.items():
                written = _split_aliases(text)
                expanded = [form for alias in written for form in forms.get(alias, [])] if language == "ru" else []
                aliases = dict.fromkeys(alias.removeprefix(AS_IT_STANDS) for alias in written)
                yield Entry(category, str(canonical), language, tuple(aliases), tuple(dict.fromkeys(expanded)))


def list_russian_aliases(path: Path) -> list[str]:
    """The Russian aliases of a pack that are lemmas and want their forms written out, sorted."""
    found: set[str] = set()
    for file in _list_lexicon_files(path):
        for canonicals in _load_yaml(file).values():
            for languages in canonicals.values():
                found.update(a for a in _split_aliases(languages.get("ru", "")) if not a.startswith(AS_IT_STANDS))
    return sorted(found)


def _list_lexicon_files(path: Path) -> list[Path]:
    special = ("forms_ru.yaml", "settings.yaml", "golden.yaml")
    return sorted(f for f in path.glob("*.yaml") if f.name not in special and not f.name.startswith("rules"))


def _list_phrase_files(path: Path) -> list[Path]:
    return sorted(file for file in (path / PHRASES_FOLDER).glob("*.yaml") if file.name != "golden.yaml")


def _load_yaml(path: Path) -> Any:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with path.open(encoding="utf-8") as file:
        return yaml.load(file, Loader=loader) or {}


def _read_rule(raw: Mapping[str, Any], macros: Mapping[str, str]) -> Rule:
    pattern = "|".join(raw["phrases"]) if "phrases" in raw else str(raw.get("pattern", ""))
    for name, text in macros.items():
        pattern = pattern.replace("{{" + name + "}}", text)
    return Rule(
        slug=str(raw["slug"]),
        knowledge_type=str(raw["type"]),
        language=str(raw["language"]),
        purpose=str(raw.get("purpose", "extract")),
        kind=str(raw.get("kind", "")),
        pattern=pattern,
        positive=tuple(str(t) for t in raw.get("positive", ())),
        negative=tuple(str(t) for t in raw.get("negative", ())),
        category=str(raw.get("category", "")),
        object_side=str(raw.get("object", "after")),
        version=int(raw.get("version", 1)),
    )


def load_pack(path: Path | str) -> Pack:
    """Read a pack directory: rules*.yaml, settings.yaml, forms_ru.yaml, every other YAML file is vocabulary.

    Those in the folder `corrections/` are phrases of replies: category -> meaning -> language -> phrases.

    Raises PackError naming the file and the fault when something cannot be read.
    """
    path = Path(path)
    problems: list[str] = []
    rules: list[Rule] = []
    entries: list[Entry] = []
    forms = _load_yaml(path / "forms_ru.yaml") if (path / "forms_ru.yaml").exists() else {}
    settings = load_settings(path)
    for file in sorted(path.glob("rules*.yaml")):
        for number, raw in enumerate(_load_yaml(file), start=1):
            try:
                rules.append(_read_rule(raw, settings.get("macros", {})))
            except (KeyError, TypeError, ValueError) as error:
                problems.append(f"{file.name}: rule number {number} lacks or misspells {error}")
    for file in _list_lexicon_files(path):
        try:
            entries.extend(_read_entries(_load_yaml(file), forms))
        except (AttributeError, yaml.YAMLError):
            problems.append(f"{file.name}: is not category -> canonical value -> language -> aliases")
    for file in _list_phrase_files(path):
        try:
            document = {f"{PHRASES}{category}": value for category, value in _load_yaml(file).items()}
            entries.extend(_read_entries(document, {}))
        except (AttributeError, yaml.YAMLError):
            problems.append(f"{PHRASES_FOLDER}/{file.name}: is not category -> meaning -> language -> phrases")
    if not rules and not problems:
        problems.append(f"{path.name}: there is no rule in this pack")
    if problems:
        raise PackError(problems)
    return Pack(path.name, tuple(rules), tuple(entries), settings)


def load_settings(path: Path) -> dict[str, Any]:
    """What a pack says of itself as a whole: macros of its rules, and `doubts`, the weights of its second opinion."""
    file = path / "settings.yaml"
    settings: dict[str, Any] = _load_yaml(file) if file.exists() else {}
    doubts = load_doubts(path)
    return settings if doubts is None else {**settings, "doubts": doubts}


def compile_packs(packs: Sequence[Pack], *, version: int, kinds: Sequence[Kind] = KINDS) -> RuleSet:
    """Lint and compile packs (later ones override rules of the same slug); PackError lists every problem.

    `kinds`: the types of fact that the set reads.
    """
    from patterns.rules.lint import lint_rules
    from patterns.rules.ruleset import RuleSet

    rules: list[Rule] = []
    for pack in packs:
        overridden = {rule.slug for rule in pack.rules}
        rules = [rule for rule in rules if rule.slug not in overridden] + list(pack.rules)
    # The lint comes first: it works out the literals while it has the tree of a pattern at hand.
    active = [rule for rule in rules if rule.is_active]
    problems = lint_rules(active, kinds=kinds)
    ready = [_with_literals(rule) for rule in active]
    problems += [
        f"{entry.category}/{entry.canonical}/{entry.language}: {problem}"
        for pack in packs
        for entry in pack.entries
        if is_phrases(entry.category)
        for text in entry.aliases
        for problem in list_phrase_problems(text)
    ]
    if problems:
        raise PackError(problems)
    settings: dict[str, Any] = {}
    for pack in packs:
        settings.update(pack.settings)
    entries = [entry for pack in packs for entry in pack.entries]
    return RuleSet(rules=tuple(ready), entries=entries, settings=settings, version=version, kinds=kinds)


def _with_literals(rule: Rule) -> Rule:
    """The rule with its required literals worked out; an unreadable pattern has none (lint)."""
    from patterns.matching.literals import list_required_literals

    if rule.literals or not rule.pattern:
        return rule
    return replace(rule, literals=list_required_literals(rule.pattern))
