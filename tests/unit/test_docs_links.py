"""The pages of the documentation lead where they say, and the pages name commands and settings that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "ops").glob("*.md")])
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]+)\)")
COMMAND = re.compile(r"(?:`|^    )(?:script/manage|manage\.py) ([a-z_]+)\b", re.MULTILINE)
FILE = re.compile(r"`((?:config|memory|retrieval|corrections|patterns|tests|bench|ops|templates)/[\w./*-]+)`")
BARE = re.compile(r"`(\w+\.py)`")
MODULES = {path.name for path in ROOT.glob("*/**/*.py") if ".venv" not in path.parts} | {"manage.py"}
OWN_COMMANDS = {path.stem for path in ROOT.glob("*/**/management/commands/*.py") if ".venv" not in path.parts}
DJANGO_COMMANDS = {"check", "migrate", "makemigrations", "showmigrations", "dbshell", "shell", "collectstatic"}


def list_anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as the usual renderers make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file_and_a_heading_that_exist(page: Path) -> None:
    broken = []
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in list_anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    named = set(COMMAND.findall(page.read_text(encoding="utf-8")))
    assert named - OWN_COMMANDS - DJANGO_COMMANDS == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    if page.name == "CHANGELOG.md":
        return
    text = page.read_text(encoding="utf-8")
    assert [path for path in FILE.findall(text) if not list(ROOT.glob(path.rstrip("/")))] == []
    assert set(BARE.findall(text)) - MODULES == set(), "named without its folder"


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    missing = [page.name for page in (ROOT / "docs").glob("*.md") if page.name not in index]
    assert missing == []
