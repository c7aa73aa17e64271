"""The code of the steps is their grammar: the words it looks for are rows."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from patterns import reasons
from patterns.grammar.grammar import list_grammar
from patterns.pack import SHIPPED, load_pack

STEPS = sorted((SHIPPED.parents[1] / "steps").glob("*.py"))
CUT = ("startswith", "endswith", "removeprefix", "removesuffix")
# Neither words nor names of rows: kinds of tokens, scripts, names of groups in expressions, signs of the second opinion.
OTHER_NAMES = frozenset(
    (
        "word", "mark", "number", "emoji", "latin", "cyrillic", "arabic", "key", "language", "end", "length", "readings",
        "before", "after", "behind", "before1", "after1", "T", "inf", "letter", "feet", "inches", "feetword", "inchword",
        "inch", "metres", "pounds", "party_work", "has_allergy",
    )
)  # fmt: skip


def _list_names() -> frozenset[str]:
    pack = load_pack(SHIPPED)
    rows = {name for entry in pack.entries for name in (entry.category, entry.canonical)}
    for rule in pack.rules:
        rows |= {rule.slug, rule.kind, rule.purpose, rule.knowledge_type, rule.object_side, rule.language}
    codes = {code for known in vars(reasons).values() if isinstance(known, dict) for code in known}
    return frozenset(rows | codes | list_grammar().keys() | OTHER_NAMES)


NAMES = _list_names()


def _list_texts(tree: ast.AST) -> Iterator[ast.Constant]:
    """The texts in code, without docstrings."""
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node


def _list_words(text: str) -> list[str]:
    """The parts of a text that could be words: letters that no expression gives a meaning."""
    return [word for word in text.split() if any(letter.isalpha() for letter in word)]


def _is_asked_of_text(node: ast.AST) -> bool:
    """Whether a part of code compares or cuts what is written."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in CUT
    sides: Iterable[ast.AST] = (node.left, *node.comparators) if isinstance(node, ast.Compare) else ()
    return any(isinstance(side, ast.Attribute) and side.attr == "text" for side in sides)


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_no_word_of_any_language_stands_in_the_code_of_a_step(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    foreign = [text.value for text in _list_texts(tree) if any(c.isalpha() and not c.isascii() for c in text.value)]
    unknown = [
        word
        for text in _list_texts(tree)
        for word in _list_words(text.value)
        if word not in NAMES and not any(sign in word for sign in "\\[{(")
    ]
    assert foreign == []
    assert unknown == []


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_what_is_written_is_compared_with_rows_and_marks_alone(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    asked = [text for node in ast.walk(tree) if _is_asked_of_text(node) for text in _list_texts(node)]
    assert [text.value for text in asked if any(c.isalpha() for c in text.value)] == []
