"""Every command that the documentation names exists and takes the options it is shown with."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, get_commands, load_command_class

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / "ops").glob("*.md"),
    *(ROOT / "bench").glob("*.md"),
]
NAMED = re.compile(r"(?:script/manage|manage\.py) (?P<call>[a-z_]+(?:[^`\n|#;<]|(?<=-)<)*)")
AN_ID = "01934a3e-0000-7000-8000-000000000000"
STAND_INS = {"ROLE": "reviewer", "ID": AN_ID, "01934a3e-...": AN_ID}
OF_THE_LAUNCHER = {"ensure_demo"}
INHERITED = {"migrate"}
"""Of Django, with its own help."""
OURS = ("config", "corrections", "memory", "patterns", "retrieval")


def list_shown() -> Iterator[tuple[str, str]]:
    """Where a command is shown, and what stands after `manage.py`."""
    for page in PAGES:
        for found in NAMED.finditer(page.read_text(encoding="utf-8")):
            yield page.name, re.split(r"\s{2,}", found["call"])[0].strip()
    for name, app in get_commands().items():
        if str(app).startswith(OURS):
            for found in NAMED.finditer(load_command_class(str(app), name).help):
                yield f"{name} --help", re.split(r"\s{2,}", found["call"])[0].strip()


SHOWN = sorted(set(list_shown()))


@pytest.mark.parametrize(("place", "call"), SHOWN, ids=[f"{place}: {call[:60]}" for place, call in SHOWN])
def test_a_command_takes_the_options_it_is_shown_with(place: str, call: str) -> None:
    try:
        name, *arguments = shlex.split(call.replace("[", "").replace("]", ""))
    except ValueError:
        name, *arguments = call.split()
    app = get_commands().get(name)
    if app is None:
        # "manage.py with the same settings" is a sentence.
        assert name in ("with", "in"), f"there is no command {name}"
        return
    is_shown_in_use = any(argument.startswith("--") for argument in arguments)
    if not is_shown_in_use or "--help" in arguments:
        return
    command = load_command_class(str(app), name)
    given = [STAND_INS.get(argument, argument.rstrip(".,:")) for argument in arguments if argument not in ("...", "…")]
    try:
        command.create_parser("manage.py", name).parse_args(given)
    except (SystemExit, CommandError) as refusal:
        pytest.fail(f"{call}: {refusal}")


def test_every_command_of_ours_is_documented_somewhere() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    ours = {name for name, app in get_commands().items() if str(app).startswith(OURS)} - OF_THE_LAUNCHER
    assert {name for name in ours if not re.search(rf"\b{name}\b", text)} == set()


def test_examples_of_help_can_be_pasted_as_they_are() -> None:
    for name, app in get_commands().items():
        if str(app).startswith(OURS):
            described = load_command_class(str(app), name)
            assert not re.search(r"(?<![\w/])manage\.py [a-z_]+", described.help), name
            assert name in INHERITED or f"script/manage {name}" in described.help, name
