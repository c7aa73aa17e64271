"""The documentation and the console are in plain English, in lines that fit a screen."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "ops").glob("*.md")])
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
LONGEST_LINE = 120
LONGEST_ROW = 200
DIALECT = {
    r"mend(s|ed|ing)?": "fix",
    r"(bring|brings|brought) in": "import, load or add",
    r"put(s|ting)? back": "roll back or restore",
    r"in force": "active",
    r"taken back": "withdrawn (a version) or denied (a fact)",
    r"(no longer|not) held": "inactive",
    r"the house": "the service or the project",
    r"anew": "again",
    r"amiss": "wrong",
    r"in vain": "without success",
    r"gives? way": "is cut or is replaced",
    r"work lists?": "task table or queue",
    r"lists? of grammar": "grammar list",
    r"phrases of replies": "reply phrases",
}
CLAUSE_AS_SUBJECT = re.compile(r"(?:^|(?<=[.:] ))(?:What|Who|Whoever|Whatever) [^.?|:]*\.(?=\s|$)", re.MULTILINE)


def read_prose(page: Path) -> str:
    """A page without code blocks and inline code; lines keep their numbers."""
    text = re.sub(r"```.*?```", lambda block: "\n" * block[0].count("\n"), page.read_text("utf-8"), flags=re.DOTALL)
    return re.sub(r"`[^`]*`", "``", re.sub(r"(?m)^ {4}.*$", "", text))


def find_dialect(text: str) -> Iterator[str]:
    """Each word that has a plainer one, with its line and the plainer word."""
    for number, line in enumerate(text.splitlines(), 1):
        for pattern, plainer in DIALECT.items():
            for found in re.finditer(rf"\b(?:{pattern})\b", line, re.IGNORECASE):
                yield f"line {number}: {found[0]!r}: write {plainer}"


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_fit_a_screen(page: Path) -> None:
    text = re.sub(r"```.*?```", lambda block: "\n" * block[0].count("\n"), page.read_text("utf-8"), flags=re.DOTALL)
    long = [
        f"line {number}: {len(line)} characters"
        for number, line in enumerate(text.splitlines(), 1)
        if not line.startswith("    ") and len(line) > (LONGEST_ROW if line.lstrip().startswith("|") else LONGEST_LINE)
    ]
    assert long == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_pages_use_the_words_of_the_field(page: Path) -> None:
    assert list(find_dialect(read_prose(page))) == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_clause_is_the_subject_of_a_sentence(page: Path) -> None:
    paragraphs = re.sub(r"\n(?=[\w(\"“*\[])", " ", read_prose(page))
    found = [each for each in CLAUSE_AS_SUBJECT.findall(paragraphs) if "#" not in each]
    assert found == [], "name the thing that acts, then say what it does"


def test_the_console_uses_the_words_of_the_field() -> None:
    shown = {name(page): re.sub(r"\{%.*?%\}|\{#.*?#\}|<[^>]*>", " ", page.read_text("utf-8")) for page in TEMPLATES}
    assert {page: problems for page, text in shown.items() if (problems := list(find_dialect(text)))} == {}
