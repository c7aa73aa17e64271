"""What is wrong with a rule, in words for the person who wrote it (SPEC I-2, ENGINE gotcha 8)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import re2

from patterns.gate import compile_pattern
from patterns.literals import list_required_literals
from patterns.pack import KNOWLEDGE_TYPES, LANGUAGES, PURPOSES, Rule

_ASCII_ONLY = re.compile(r"\\[bBwWdDsS]")
_WIDE_REPEAT = re.compile(
    r"(?:(?<!\\)\.|\\p[A-Z]|\[\^[^\]]*\]|\[[^\]]*\\p[^\]]*\])(?:\*|\+|\{\d*,(?:1[3-9]|[2-9]\d|\d{3,})?\})"
)


def lint_rules(rules: Sequence[Rule]) -> list[str]:
    """Every problem of every rule as a sentence; empty when all can be used."""
    problems = [problem for rule in rules for problem in lint_rule(rule)]
    repeated = [slug for slug, count in Counter(rule.slug for rule in rules).items() if count > 1]
    return problems + [f"{slug}: two rules have this name" for slug in repeated]


def lint_rule(rule: Rule) -> list[str]:
    """The problems of one rule's text; its examples are tried by the rule set's self-test."""
    problems: list[str] = []
    for value, known, name in (
        (rule.language, LANGUAGES, "language"),
        (rule.purpose, PURPOSES, "purpose"),
        (rule.knowledge_type, KNOWLEDGE_TYPES, "knowledge type"),
    ):
        if value not in known:
            problems.append(f"{name} {value!r} is not one of {', '.join(known)}")
    if not rule.positive or not rule.negative:
        problems.append("it needs at least one example that it must catch and one that it must leave alone")
    return [f"{rule.slug}: {problem}" for problem in problems + _lint_trigger(rule)]


def _lint_trigger(rule: Rule) -> list[str]:
    if rule.category:
        return ["it has both a pattern and a category; one of them fires it"] if rule.pattern else []
    return _lint_pattern(rule.pattern, rule.literals)


def _lint_pattern(pattern: str, literals: Sequence[str]) -> list[str]:
    if not pattern:
        return ["the pattern is empty"]
    try:
        compiled = compile_pattern(pattern)
    except re2.error as error:
        return [f"the pattern does not compile: {error}"]
    problems: list[str] = []
    if _ASCII_ONLY.search(pattern):
        problems.append(r"\b, \w, \d and \s know Latin letters alone here; write [\pL\pN] or a space")
    if _WIDE_REPEAT.search(pattern):
        problems.append("a repetition of any letter may span at most 12 characters, so that the rule stays fast")
    if compiled.search(b" ") is not None or compiled.search(b"") is not None:
        problems.append("it matches the empty text")
    if not (literals or list_required_literals(pattern)):
        problems.append("it has no word of two letters or more that every match must contain")
    return problems
