"""The code of the steps is their grammar: the words it looks for are rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from patterns.grammar.grammar import list_grammar
from patterns.rules import reasons
from patterns.rules.pack import SHIPPED, load_pack

ROOM = SHIPPED.parents[1]
WEIGHTS = ROOM / "steps" / "doubt_weights.py"  # holds weights and what they are called, and reads no message
STEPS = sorted(
    path for wing in ("steps", "statements", "kinds") for path in (ROOM / wing).rglob("*.py") if path != WEIGHTS
)
CLASSES = re.compile(r"\\.|\[[^\]]*\]")  # of letters, in expressions
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
    """The parts of a text that could be words."""
    return [word for word in text.split() if any(letter.isalpha() for letter in word)]


def _is_written(node: ast.AST | None, names: frozenset[str]) -> bool:
    """Whether an expression is what is written: token.text, a part or a row of it, or a name that stands for it."""
    match node:
        case ast.Attribute():
            return node.attr == "text"
        case ast.Name():
            return node.id in names
        case ast.Subscript() | ast.Starred():
            return _is_written(node.value, names)
        case ast.Call(func=ast.Attribute(value=value)):
            return _is_written(value, names)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return _is_written(node.elt, names)
        case ast.List() | ast.Tuple() | ast.Set():
            return any(_is_written(part, names) for part in node.elts)
        case ast.IfExp():
            return _is_written(node.body, names) or _is_written(node.orelse, names)
        case ast.BinOp():
            return _is_written(node.left, names) or _is_written(node.right, names)
    return False


def _list_given(scope: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What a function gives names to, target by target."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    yield from zip(target.elts, node.value.elts, strict=True)
                else:
                    yield target, node.value
        elif isinstance(node, ast.NamedExpr | ast.For | ast.comprehension):
            yield node.target, node.value if isinstance(node, ast.NamedExpr) else node.iter


def _list_names_of_text(scope: ast.AST) -> frozenset[str]:
    """Names that a function gives to what is written: text = token.text, words = [token.text for ...]."""
    names: frozenset[str] = frozenset()
    given = list(_list_given(scope))
    for _ in given:
        named = {target.id for target, value in given if isinstance(target, ast.Name) and _is_written(value, names)}
        if named <= names:
            break
        names |= named
    return names


def _list_asked(scope: ast.AST) -> Iterator[ast.AST]:
    """The parts of a function that compare, match or cut what is written."""
    names = _list_names_of_text(scope)
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asked = node.func.attr in CUT or _is_written(node.func.value, names)
        elif isinstance(node, ast.Compare):
            asked = any(_is_written(side, names) for side in (node.left, *node.comparators))
        else:
            asked = isinstance(node, ast.Match) and _is_written(node.subject, names)
        if asked:
            yield node


def _list_compared(tree: ast.Module) -> Iterator[str]:
    """The texts that what is written is compared with, also those that a constant of the module holds."""
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for scope in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for asked in _list_asked(scope):
            names = [part.id for part in ast.walk(asked) if isinstance(part, ast.Name) and part.id in constants]
            for part in (asked, *(constants[name] for name in names)):
                yield from (text.value for text in _list_texts(part))


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_no_word_of_any_language_stands_in_the_code_of_a_step(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    foreign = [text.value for text in _list_texts(tree) if any(c.isalpha() and not c.isascii() for c in text.value)]
    unknown = [
        word
        for text in _list_texts(tree)
        for word in _list_words(text.value)
        if word not in NAMES and any(letter.isalpha() for letter in CLASSES.sub("", word))
    ]
    assert foreign == []
    assert unknown == []


@pytest.mark.parametrize("path", STEPS, ids=lambda path: path.stem)
def test_what_is_written_is_compared_with_rows_and_marks_alone(path: Path) -> None:
    compared = _list_compared(ast.parse(path.read_text(encoding="utf-8")))
    assert [text for text in compared if any(letter.isalpha() for letter in text)] == []


@pytest.mark.parametrize(
    "code",
    [
        'def f(token):\n    return token.text == "never"',
        'def f(token):\n    text = token.text\n    return text in ("past", "more")',
        '_WORDS = frozenset(("past", "more"))\ndef f(token):\n    return token.text in _WORDS',
        'def f(tokens):\n    words = [token.text for token in tokens]\n    return words == ["past", "more"]',
        'def f(token):\n    return token.text[-2:] == "ly"',
        'def f(token):\n    match token.text:\n        case "never":\n            return True',
        'def f(word):\n    return word.endswith(("s", "ly"))',
        'def f(token):\n    return token.text.find("past")',
        'def f(tokens):\n    return any(text == "past" for text in [token.text for token in tokens])',
    ],
)
def test_a_word_that_is_also_a_name_is_found_where_it_is_compared_with_what_is_written(code: str) -> None:
    assert [text for text in _list_compared(ast.parse(code)) if text.isalpha()] != []
