"""No file of labelled data lies about that nothing reads (tests/data/README.md)."""

import re
from pathlib import Path

from patterns.rules.accuracy import name_corpus

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
READ_BY_FOLDER = "instant"
"""`check_patterns` reads every set in it."""


def test_every_data_file_is_named_by_a_test_or_a_command() -> None:
    readers = [
        *(ROOT / "tests").rglob("*.py"),
        *ROOT.glob("*/**/management/commands/*.py"),
        *ROOT.glob("*/**/cases.py"),
    ]
    text = "\n".join(path.read_text("utf-8") for path in readers if ".venv" not in path.parts)
    words = set(re.findall(r"[\w.]+", text))
    files = [path for path in DATA.rglob("*") if path.is_file() and path.suffix != ".md"]
    unread = [
        str(path.relative_to(DATA))
        for path in files
        if path.parent.name != READ_BY_FOLDER and not {path.name, path.stem, name_corpus(path).split(".")[0]} & words
    ]
    assert len(files) > 50
    assert unread == []
