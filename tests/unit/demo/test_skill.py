"""The sample skill as a package: found by its entry point, and what it says."""

import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config.chat.skills import SkillCall, find_skill, list_abilities, list_skills, run_skill
from config.chat.understanding import understand

PACKAGE = Path(__file__).resolve().parents[3] / "demo" / "skill"
FACT = {"id": "f-1", "knowledge_type": "body_params", "knowledge_key": "size", "value": "M", "is_disputed": False}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package where an installation puts it, with the entry points that its pyproject names."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    shutil.copytree(PACKAGE / "unde_skill_sizes", tmp_path / "unde_skill_sizes")
    about = tmp_path / f"unde_skill_sizes-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = [f"{name} = {value}" for name, value in project["entry-points"]["unde.skills"].items()]
    (about / "entry_points.txt").write_text("\n".join(["[unde.skills]", *points]))
    monkeypatch.syspath_prepend(tmp_path)
    list_skills.cache_clear()
    yield
    list_skills.cache_clear()
    sys.modules.pop("unde_skill_sizes", None)


def ask(text: str, *, language: str = "en", facts: Any = (FACT,), permitted: Any = None) -> tuple[str | None, Any]:
    skills = list_skills()
    understood = understand(text, abilities=list_abilities(skills))
    skill = find_skill(understood, skills=skills)
    assert skill is not None, understood
    return run_skill(skill, SkillCall("u", "c", text, understood, {"facts": facts}, language), permitted=permitted)


@pytest.mark.parametrize(
    ("text", "language", "reply"),
    [
        ("Please convert my size to UK", "en", "You wear M. That is UK 10."),
        ("Переведи мой размер в американский", "ru", "Ваш размер — M. Это US 6."),
        ("7awel m2asi", "arabizi", "مقاسك M، أي EU 38."),
    ],
)
def test_a_size_that_is_known_is_told_in_another_system(installed: None, text: str, language: str, reply: str) -> None:
    said, ran = ask(text, language=language)
    assert said == reply
    assert (ran.name, ran.status, ran.receipt["fact_id"]) == ("sizes", "done", "f-1")


@pytest.mark.parametrize("facts", [(), ({**FACT, "value": "tall"},), ({**FACT, "is_disputed": True},)])
def test_a_size_that_is_not_known_is_not_made_up(installed: None, facts: Any) -> None:
    said, ran = ask("convert my size", facts=facts)
    assert said == "I do not know your size yet. Tell me, and I will convert it."
    assert ran.receipt == {"system": "eu", "outcome": "size_unknown"}


def test_a_skill_that_is_not_permitted_does_not_run(installed: None) -> None:
    assert ask("convert my size", permitted=("other",))[1].status == "refused"


def test_what_others_say_is_nothing_for_it(installed: None) -> None:
    skills = list_skills()
    for text in ("Please order the blue one", "my size is M", "hello"):
        assert find_skill(understand(text, abilities=list_abilities(skills)), skills=skills) is None
