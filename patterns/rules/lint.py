"""Checks a rule and describes problems for its author (SPEC I-2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import re2

from patterns.kinds.kind import Kind
from patterns.kinds.table import KINDS
from patterns.matching.literals import list_required_literals
from patterns.matching.pattern_tree import UnreadablePatternError, parse_pattern
from patterns.matching.triggers import compile_alone, compile_pattern
from patterns.rule import CORRECTION, LANGUAGES, PURPOSES, Rule

_ASCII_ONLY = re.compile(r"\\[bBwWdDsS]")
_WIDE_REPEAT = re.compile(
    r"(?:(?<!\\)\.|\\p[A-Z]|\[\^[^\]]*\]|\[[^\]]*\\p[^\]]*\])(?:\*|\+|\{\d*,(?:1[3-9]|[2-9]\d|\d{3,})?\})"
)
# Valid elsewhere, not here; each with what to write instead.
_ELSEWHERE: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"\(\?<?!"),
        "“not followed by” and “not preceded by” do not exist here: take the unwanted sentence in as an example"
        " that must be left alone, or write a second rule of purpose guard for it",
    ),
    (
        re.compile(r"\(\?<?="),
        "“followed by” and “preceded by” do not exist here: write the words themselves into the pattern;"
        " the value is found by the vocabulary, not by the pattern",
    ),
    (
        re.compile(r"(?<!\\)(?:\\\\)*\\[1-9]"),
        "“the same text again” does not exist here: write the alternatives out, as in (?:a|b)",
    ),
    (
        re.compile(r"\\[Zz]|\\A|\\G"),
        "patterns match anywhere in the message: leave out the marks for its beginning and end",
    ),
    (
        re.compile(r"\(\?>|[*+?}]\+"),
        "possessive and atomic groups do not exist here and are not needed: matching is never slow to fail",
    ),
)
_NARROW_WORDS = (
    r"\b, \w, \d and \s know Latin letters alone here: a pattern matches whole words without them; for any letter write"
    r" [\pL\pN], for a space a space"
)
_WORDS = re.compile(r"[^\W_]{2,}")
_CAPITALS = re.compile(r"\[[^\]]*[A-Z]-[A-Z][^\]]*\]")
_NAMED_CAPITALS = re.compile(r"\\p(?:Lu|\{Lu\})")


def lint_rules(rules: Sequence[Rule], *, kinds: Sequence[Kind] = KINDS) -> list[str]:
    """Every problem of every rule as a sentence; empty when all can be used."""
    problems = [problem for rule in rules for problem in lint_rule(rule, kinds=kinds)]
    counts = Counter((rule.slug, rule.is_canary) for rule in rules)
    return problems + [f"{slug}: two rules have this name" for (slug, _), count in counts.items() if count > 1]


def lint_rule(rule: Rule, *, kinds: Sequence[Kind] = KINDS) -> list[str]:
    """The problems of one rule's text; its examples are tried by the rule set's self-test."""
    problems: list[str] = []
    for value, known, name in (
        (rule.language, LANGUAGES, "language"),
        (rule.purpose, PURPOSES, "purpose"),
        (rule.knowledge_type, (*(kind.knowledge_type for kind in kinds), CORRECTION), "knowledge type"),
    ):
        if value not in known:
            problems.append(f"{name} {value!r} is not one of {', '.join(known)}")
    if not rule.positive or not rule.negative:
        problems.append("enter at least one example that must match and one that must not match")
    return [f"{rule.slug}: {problem}" for problem in problems + _lint_trigger(rule)]


def list_pattern_advice(pattern: str) -> list[str]:
    """What the author may not have meant, in words; none of it keeps a rule from being saved. Pure."""
    advice: list[str] = []
    if _CAPITALS.search(pattern) or _NAMED_CAPITALS.search(pattern):
        advice.append("upper and lower case are the same here: [A-Z] matches every Latin letter, not only names")
    if re.search(r"\(\?P<(?!trigger)", pattern) is None and "(" in pattern.replace("(?", "").replace("\\(", ""):
        advice.append("the capture of ( ) is not used: write (?: ) to group alternatives")
    return advice


def list_spelling_advice(pattern: str, close: Mapping[str, str]) -> list[str]:
    """The words of a pattern that messages are read without, since a usual spelling takes their place. Pure.

    `close`: the usual one by each of its spellings (`Lexicon.close`). A rule that has such a word without the usual one
    keeps it in all messages, and rules that wait for the usual one no longer see it.
    """
    words = set(_WORDS.findall(pattern))
    found = sorted((word, close[word]) for word in words & close.keys() if close[word] not in words)
    return [
        f"“{word}” is a spelling of “{usual}”: write “{usual}”, and all its spellings are caught"
        for word, usual in found
    ]


def _lint_trigger(rule: Rule) -> list[str]:
    if rule.category:
        return ["enter a pattern or a category, not both"] if rule.pattern else []
    return list_pattern_problems(rule.pattern, rule.literals)


def list_pattern_problems(pattern: str, literals: Sequence[str] = ()) -> list[str]:
    """Why a pattern can not be used, as sentences; empty when it can. Never raises, whatever the text is. Pure."""
    return list(_find_problems(pattern, bool(literals)))


@lru_cache(maxsize=10_000)  # a pack is checked as it is read and again as a rule set
def _find_problems(pattern: str, has_literals: bool) -> Sequence[str]:
    if not pattern:
        return ["the pattern is empty"]
    if not is_storable(pattern):
        return ["the pattern contains an invalid character: a NUL, or half of a surrogate pair"]
    problems = [f"the pattern does not compile: {advice}" for known, advice in _ELSEWHERE if known.search(pattern)]
    if problems:
        return problems
    if _ASCII_ONLY.search(pattern):
        problems.append(_NARROW_WORDS)
    try:
        compiled = compile_pattern(pattern)
        compile_alone(pattern)
        parse_pattern(pattern)
    except re2.error as error:
        return [*problems, f"the pattern does not compile: {_translate(error)}"]
    except UnreadablePatternError as error:
        return [*problems, f"the pattern is invalid: {error}"]
    if _WIDE_REPEAT.search(pattern):
        problems.append("a repetition of any letter may span at most 12 characters, to keep the rule fast")
    if compiled.search(b" ") is not None or compiled.search(b"") is not None:
        problems.append("it matches an empty text")
    # Asked for in any case: the set that is compiled next needs them, and the pattern's tree is at hand only now.
    if not list_required_literals(pattern) and not has_literals:
        problems.append("it needs a word of at least two letters that every match contains")
    return problems


def is_storable(text: str) -> bool:
    """Whether the database takes a text: it has no NUL and no half of a pair. Pure."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def _translate(error: re2.error) -> str:
    """RE2's own words, which name the place, after what they mean."""
    said = str(error).removeprefix("b'").split(": (?:^")[0].removesuffix("'")
    for known, meaning in (
        ("missing )", "a bracket ( is never closed"),
        ("unexpected )", "a bracket ) was never opened"),
        ("missing ]", "a bracket [ is never closed"),
        ("no argument for repetition", "there is nothing to repeat before * + or ?"),
        ("repetition size", "a repetition spans too much: at most 1000 in all, repetitions inside it counted"),
        ("bad repetition", "a repetition like {2,5} is written wrong or repeats a repetition"),
        ("invalid escape", "a \\ stands before a letter that means nothing; write the letter alone"),
        ("invalid character class", "the letters in [ ] are not a class; a range runs from the smaller to the greater"),
    ):
        if known in said:
            return f"{meaning} ({said})"
    return said
