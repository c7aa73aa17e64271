"""A change tried before it is kept: the set with the change in it, and every reason to refuse it. Reads only."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Final
from uuid import UUID

from django.conf import settings
from msgspec.msgpack import encode

from patterns.grammar.grammar import list_grammar_problems
from patterns.matching.lexicon import Entry
from patterns.matching.phrases import PHRASES, PhraseBook, is_phrases, list_phrase_problems, list_phrases
from patterns.matching.spelling import spell_pattern
from patterns.matching.triggers import compile_pattern
from patterns.rule import Rule as RuleText
from patterns.rules.examiners import Fault, list_faults
from patterns.rules.golden import BrokenCase, GoldenCase, list_broken_cases, load_golden_cases
from patterns.rules.lint import lint_rule
from patterns.rules.pack import AS_IT_STANDS, Pack, PackError, compile_packs
from patterns.rules.ruleset import RuleSet
from patterns.rules.selftest import (
    SAID_AT,
    ExampleFailure,
    StatedExample,
    list_failed_examples,
    list_stated_examples,
)
from patterns.selectors import get_shipped_settings, get_stored_pack
from patterns.text.folded_pieces import Token
from patterns.text.normaliser import normalise
from patterns.types import Reading

VALUE_CATEGORIES: Final = frozenset(
    {"fabric", "irritant", "material", "cut", "garment", "pattern", "colour", "brand", "event", "currency"}
)
"""Categories whose canonical value is what a fact keeps."""


@dataclass(frozen=True, slots=True)
class Change:
    """One rule or one entry as it would be. `is_active` switches the entry; a rule says it itself."""

    rule: RuleText | None = None
    entry: Entry | None = None
    is_active: bool = True


def spell_rule(rule: RuleText) -> RuleText:
    """The rule with its pattern in the spelling that rules meet. Pure."""
    return replace(rule, pattern=spell_pattern(rule.pattern), literals=())


def apply_change(pack: Pack, change: Change) -> Pack:
    """The pack with one rule or entry put in, exchanged or, when it is switched off, taken out. Pure."""
    if change.rule is not None:
        return replace_rule(pack, change.rule)
    if change.entry is not None:
        return replace_entry(pack, change.entry, is_active=change.is_active)
    return pack


def replace_rule(pack: Pack, rule: RuleText) -> Pack:
    """The pack with one rule put in, exchanged or, when it is switched off, taken out; no trial of it is left. Pure."""
    others = tuple(one for one in pack.rules if one.slug != rule.slug)
    return replace(pack, rules=(*others, rule) if rule.is_active and rule.rollout_percent > 0 else others)


def replace_entry(pack: Pack, entry: Entry, *, is_active: bool) -> Pack:
    """The pack with one entry put in, exchanged or taken out. Pure."""
    name = (entry.category, entry.canonical, entry.language)
    others = tuple(one for one in pack.entries if (one.category, one.canonical, one.language) != name)
    return replace(pack, entries=(*others, entry) if is_active else others)


def list_rule_problems(
    rule: RuleText, *, tenant_id: UUID | None, messages: Sequence[str] = (), base: RuleSet | None = None
) -> list[str]:
    """Why a rule may not be kept: its text, its speed, its own examples, others' examples and golden cases it breaks.

    `messages`: stored ones to time the pattern on beside the examples. `base`: the set in force, to try the rule on
    without compiling everything (a tenth of a second instead of one). Reads only.
    """
    problems = lint_rule(rule) + _count_examples(rule)
    if problems:
        return problems
    pack = get_stored_pack(tenant_id=tenant_id)
    if rule.is_active and rule.pattern:
        problems = list_slow_problems(rule, [*messages, *_list_examples(pack)])
    after = replace_rule(pack, rule)
    return problems + list_new_failures(pack, after, base=base, is_asked=lambda reading: reading.rule == rule.slug)


def list_entry_problems(
    entry: Entry, *, is_active: bool, tenant_id: UUID | None, base: RuleSet | None = None
) -> list[str]:
    """Why an entry may not be kept: it has no words, or an example or golden case comes out otherwise. Reads only.

    `base`: the set in force, to try phrases on without compiling everything.
    """
    if not entry.aliases:
        return ["an entry needs at least one word"]
    empty = [word for word in (*entry.aliases, *entry.forms) if not normalise(word).tokens]
    if empty:
        return [f"“{word}” contains only marks that are ignored in messages" for word in empty]
    unkept = [word for word in (*entry.aliases, *entry.forms) if "," in word or word.startswith(AS_IT_STANDS)]
    if unkept:
        return [f"“{word}”: write one word or phrase per line, without a comma or a leading “=”" for word in unkept]
    unasked = list_grammar_problems(entry)
    if unasked:
        return unasked
    pack = get_stored_pack(tenant_id=tenant_id)
    after = replace_entry(pack, entry, is_active=is_active)
    if is_phrases(entry.category):
        return _lint_phrases(entry, pack) or _list_new_faults(pack, after, base)
    taken = list_taken_words(entry, pack)
    return taken or list_new_failures(pack, after, is_asked=lambda reading: reading.value == entry.canonical)


def list_taken_words(entry: Entry, pack: Pack) -> list[str]:
    """New words of a value that are words of another value in the pack: a message has one of them. Pure.

    What the row has already may stay: shipped values share a few words.
    """
    if entry.category not in VALUE_CATEGORIES:
        return []
    rows = [one for one in pack.entries if one.category == entry.category]
    kept = {normalise(word).text for one in rows if one.canonical == entry.canonical for word in list_words(one)}
    owners = {normalise(word).text: one for one in rows if one.canonical != entry.canonical for word in list_words(one)}
    new = [(word, normalise(word).text) for word in list_words(entry)]
    return [
        f"“{word}” is a word of “{owners[text].canonical}” ({owners[text].language}) already. Take it out there first"
        for word, text in new
        if text in owners and text not in kept
    ]


def list_words(entry: Entry) -> tuple[str, ...]:
    """An entry's words with their inflected forms. Pure."""
    return (*entry.aliases, *entry.forms)


def _list_new_faults(before: Pack, after: Pack, base: RuleSet | None) -> list[str]:
    """What other phrases break: replies alone, since rules read no phrases."""
    base = base or compile_packs([before], version=0)
    faults = list_faults(base.exchange_phrases(list_phrases(after.entries)))
    known = {fault.name for fault in list_faults(base)} if faults else set()
    return [fault.sentence for fault in faults if fault.name not in known]


def _lint_phrases(entry: Entry, pack: Pack) -> list[str]:
    """What is wrong with phrases of replies before they are tried: their text, their place, their speed."""
    problems = [problem for text in entry.aliases for problem in list_phrase_problems(text)]
    known = {(one.category, one.canonical) for one in pack.entries if is_phrases(one.category)}
    if (entry.category, entry.canonical) not in known:
        group = f"{entry.category.removeprefix(PHRASES)}, {entry.canonical}"
        problems.append(f"there is no group “{group}”: choose one from the list")
    if entry.forms:
        problems.append("phrases have no inflected forms: write them out, as in “(gone|went) away”")
    return problems or _list_slow_phrases(entry, _list_examples(pack))


def _list_slow_phrases(entry: Entry, texts: Sequence[str]) -> list[str]:
    book = PhraseBook(list_phrases([entry]))
    tokens = [normalise(text).tokens for text in texts[: settings.UNDE_TUNING.RULE_TIMED_MESSAGES]]
    if not tokens:
        return []
    taken = min(_time_search(book, tokens) for _ in range(3))
    limit = settings.UNDE_TUNING.RULE_MAX_MICROSECONDS
    if taken <= limit:
        return []
    return [f"these phrases take {taken:.0f} µs per message; at most {limit:.0f} µs are allowed"]


def _time_search(book: PhraseBook, messages: Sequence[Sequence[Token]]) -> float:
    """Microseconds a message."""
    before = time.thread_time_ns()
    for tokens in messages:
        book.find_all(tokens)
    return (time.thread_time_ns() - before) / 1000 / len(messages)


def list_slow_problems(rule: RuleText, messages: Iterable[str]) -> list[str]:
    """Whether a pattern takes over 50 microseconds a message on 200 messages; the best of three runs."""
    texts = [
        normalise(text).text.encode("utf-8", "replace")
        for text in list(messages)[: settings.UNDE_TUNING.RULE_TIMED_MESSAGES]
    ]
    if not texts:
        return []
    taken = measure_pattern(rule.pattern, texts)
    limit = settings.UNDE_TUNING.RULE_MAX_MICROSECONDS
    if taken <= limit:
        return []
    return [f"{rule.slug}: the pattern takes {taken:.0f} µs per message; at most {limit:.0f} µs are allowed"]


def measure_pattern(pattern: str, texts: Sequence[bytes]) -> float:
    """Microseconds that one search of a normalised message takes on average."""
    compiled = compile_pattern(pattern)
    runs: list[float] = []
    for _ in range(3):
        before = time.thread_time_ns()
        for text in texts:
            compiled.search(text)
        runs.append((time.thread_time_ns() - before) / 1000 / len(texts))
    return min(runs)


def try_change(change: Change, *, base: RuleSet, tenant_id: UUID | None) -> RuleSet:
    """The set in force with a change in it. Raises PackError. Compiles the words anew for an entry of words alone."""
    if change.rule is not None:
        problems = lint_rule(change.rule)
        if problems:
            raise PackError(problems)
        return exchange_rule(base, change.rule)
    pack = apply_change(get_stored_pack(tenant_id=tenant_id), change)
    if change.entry is not None and is_phrases(change.entry.category):
        problems = [problem for text in change.entry.aliases for problem in list_phrase_problems(text)]
        if problems:
            raise PackError(problems)
        return base.exchange_phrases(list_phrases(pack.entries))
    return compile_packs([pack], version=base.version)


def exchange_rule(base: RuleSet, rule: RuleText) -> RuleSet:
    """The set with one rule exchanged, over the same vocabulary. The rule has passed the lint."""
    others = [one for one in base.rules if one.slug != rule.slug]
    is_read = rule.is_active and rule.rollout_percent > 0
    ready = compile_packs([Pack("", (rule,), ())], version=0).rules if is_read else ()
    return base.exchange_rules([*others, *ready], version=base.version)


def list_new_failures(
    before: Pack, after: Pack, *, base: RuleSet | None = None, is_asked: Callable[[Reading], bool] | None = None
) -> list[str]:
    """Examples and golden cases that come out wrong in the second pack and not in the first, as sentences.

    `is_asked`: whether a fact comes from what is changed. Such a fact of an example that states nothing so far, and
    that its own rule must leave alone, is one more failure.
    """
    try:
        rule_set = _compile(after, base)
    except PackError as error:
        return list(error.problems)
    found = _find_flaws(after, rule_set, base)
    stated = list_stated_examples(rule_set, is_asked=is_asked) if is_asked else []
    if not found.is_none:
        # A set that was broken before must not keep its own mending from being saved.
        found = found.without(_find_flaws(before, None, base))
    if stated:
        earlier = _compile(before, base)
        stated = [one for one in stated if not earlier.read(one.text, said_at=SAID_AT).readings]
    sentences = [_describe(failure, after) for failure in found.failures] + [one.describe() for one in found.broken]
    sentences += [_describe_stated(one) for one in stated[: settings.UNDE_TUNING.RULE_EXAMPLES_SHOWN]]
    return sentences + [fault.sentence for fault in found.faults]


@dataclass(frozen=True, slots=True)
class _Flaws:
    """All that comes out wrong in one set."""

    failures: tuple[ExampleFailure, ...]
    broken: tuple[BrokenCase, ...]
    faults: tuple[Fault, ...]

    @property
    def is_none(self) -> bool:
        return not (self.failures or self.broken or self.faults)

    def without(self, earlier: _Flaws) -> _Flaws:
        """Those that another set has not."""
        cases, faults = {one.case.name for one in earlier.broken}, {fault.name for fault in earlier.faults}
        return _Flaws(
            tuple(failure for failure in self.failures if failure not in earlier.failures),
            tuple(one for one in self.broken if one.case.name not in cases),
            tuple(fault for fault in self.faults if fault.name not in faults),
        )


def _find_flaws(pack: Pack, rule_set: RuleSet | None, base: RuleSet | None) -> _Flaws:
    """The flaws of a pack, which `rule_set` was compiled of if it is there. Raises PackError.

    What is published has just been kept, and what is in force was tried before: the same content is tried once.
    """
    if base is not None or pack.settings is not get_shipped_settings():
        return _try_set(rule_set or _compile(pack, base))
    known = _get_shelf(blake2b(encode((pack.rules, pack.entries)), digest_size=32).digest())
    if not known:
        known.append(_try_set(rule_set or _compile(pack, base)))
    return known[0]


def _try_set(rule_set: RuleSet) -> _Flaws:
    return _Flaws(
        tuple(list_failed_examples(rule_set)),
        tuple(list_broken_cases(rule_set, get_golden_cases())),
        tuple(list_faults(rule_set)),
    )


@lru_cache(maxsize=8)
def _get_shelf(fingerprint: bytes) -> list[_Flaws]:
    """Where the flaws of a pack of this fingerprint are kept."""
    return []


def _describe_stated(one: StatedExample) -> str:
    found = f"{one.reading.knowledge_type.replace('_', ' ')} “{one.reading.value}”"
    return f"“{one.text}”, an example of {one.rule}, states nothing, but {found} would be read from it"


@lru_cache(maxsize=1)
def get_golden_cases() -> tuple[GoldenCase, ...]:
    """The golden cases that ship with the rules."""
    return tuple(load_golden_cases())


def _compile(pack: Pack, base: RuleSet | None) -> RuleSet:
    if base is None:
        return compile_packs([pack], version=0)
    rules = compile_packs([Pack(pack.name, pack.rules, ())], version=0).rules
    return base.exchange_rules(rules, version=base.version)


def _list_examples(pack: Pack) -> list[str]:
    return [text for rule in pack.rules for text in (*rule.positive, *rule.negative)]


def _count_examples(rule: RuleText) -> list[str]:
    if (
        len(rule.positive) >= settings.UNDE_TUNING.RULE_MIN_EXAMPLES
        and len(rule.negative) >= settings.UNDE_TUNING.RULE_MIN_EXAMPLES
    ):
        return []
    return [
        f"{rule.slug}: enter at least two different messages that must match and two that must not match;"
        f" there are {len(rule.positive)} and {len(rule.negative)}"
    ]


def _describe(failure: ExampleFailure, pack: Pack) -> str:
    rule = next(one for one in pack.rules if (one.slug, one.is_canary) == (failure.rule, failure.is_canary))
    text = (rule.positive if failure.is_positive else rule.negative)[failure.number]
    wish = "must match but does not" if failure.is_positive else "must not match but does"
    return f"{rule.slug}: “{text}” {wish}"
