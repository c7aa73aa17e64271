"""What a person reads beside a reply: every code of the detector and every group of phrases is explained."""

from __future__ import annotations

import ast
from pathlib import Path

import corrections
from corrections.recognition.reasons import GROUPS, REASONS, explain_reason
from patterns.matching.phrases import PHRASES
from patterns.rules.pack import SHIPPED, load_pack

ROOM = Path(corrections.__file__).parent


def list_refused_codes() -> set[str]:
    """The texts given to `refuse` anywhere in the room."""
    codes: set[str] = set()
    for file in (ROOM / "recognition").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            if is_call and node.func.attr == "refuse":  # type: ignore[attr-defined]
                codes |= {a.value for a in node.args if isinstance(a, ast.Constant)}  # type: ignore[attr-defined]
    return codes


def test_every_code_that_a_reply_is_refused_with_is_explained() -> None:
    found = list_refused_codes()
    assert len(found) >= 8
    assert found <= set(REASONS)
    assert explain_reason("unheard_of") == "unheard of"


def test_every_group_of_phrases_says_what_it_is_for() -> None:
    groups = {e.category.removeprefix(PHRASES) for e in load_pack(SHIPPED).entries if e.category.startswith(PHRASES)}
    assert groups == set(GROUPS)
