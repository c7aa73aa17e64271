"""Numbers are in one place: a weight, threshold, limit or window is in `tuning.py` or a recipe.

What is left in a module is named by its algorithm: reaches of the grammar, sizes of formats, pixels. `numbers.txt` says
how many each file has. The list may only shrink: a new number belongs in `config/settings/tuning.py`.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("patterns", "memory", "retrieval", "corrections", "config")
LISTED = Path(__file__).with_name("numbers.txt")
BEGINS_A_NUMBER = re.compile(r"^\w[^=\n]*=\s*(?:[-+~.(\d]|timedelta)", re.MULTILINE)


def is_number(node: ast.AST) -> bool:
    """A number, or a sum or a period made of numbers."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "timedelta":
        return all(is_number(keyword.value) for keyword in node.keywords)
    return False


def count_numbers(path: Path) -> int:
    """How many names of a module stand for a number."""
    text = path.read_text(encoding="utf-8")
    if not BEGINS_A_NUMBER.search(text):  # most modules: they need not be parsed
        return 0
    body = ast.parse(text).body
    assigned = (node.value for node in body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value)
    return sum(map(is_number, assigned))


def list_modules() -> list[Path]:
    files = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    return [p for p in files if not {"migrations", "settings"} & set(p.parts) and p.name != "recipes.py"]


def test_no_module_has_more_numbers_of_its_own_than_the_list_says() -> None:
    listed = {name: int(count) for name, count in (line.split() for line in LISTED.read_text().splitlines())}
    counted = {str(path.relative_to(ROOT)): count_numbers(path) for path in list_modules()}
    grown = {name: count for name, count in counted.items() if count > listed.get(name, 0)}
    assert not grown, "these belong in config/settings/tuning.py or a recipe"
    stale = {name: counted.get(name, 0) for name, count in listed.items() if counted.get(name, 0) < count}
    assert not stale, "fewer than listed: lower tests/unit/numbers.txt to these"
