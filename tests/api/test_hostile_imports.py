"""A file may come from anywhere: every field of every line with every kind of nonsense is refused or harmless."""

import json
from typing import Any

import pytest

from tests.api.conftest import Caller

pytestmark = pytest.mark.django_db

NONSENSE: tuple[Any, ...] = (
    None,
    -1,
    2**63,
    1e308,
    "",
    "x" * 5_000,
    "nul \x00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-12:00",
    "2026-01-01T00:00:00",
    "00000000-0000-0000-0000-000000000000",
    [],
    [{}],
    {},
    {"statement": {}},
    {"corrections": [{"id": 1}]},
    True,
)

TRIES = 2


@pytest.fixture
def lines(api: Caller) -> list[dict[str, Any]]:
    """An export with every kind of line: facts stated and read, corrected and disputed."""
    first = api.send("my size is M, I am allergic to nickel").json()
    api.send("So your size is M?", role="assistant")
    api.send("no, my size is S")
    api.put("/v1/users/alice/facts", {"facts": [{"knowledge_type": "budget", "value": 500, "source": "explicit"}]})
    nickel = next(fact["id"] for fact in first["facts"] if fact["knowledge_type"] == "allergy")
    api.post(f"/v1/facts/{nickel}/dispute", {"reason": "not sure"})
    exported = b"".join(api.get("/v1/users/alice/export").streaming_content)
    return [json.loads(line) for line in exported.splitlines()]


def list_spoiled(lines: list[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The export with one field of one line replaced, for the first and last line of each kind."""
    spoiled = []
    kinds: dict[tuple[str, Any], int] = {}
    for place, line in enumerate(lines):
        kinds[(line["kind"], line.get("action"))] = place
    for place in kinds.values():
        for name in lines[place]:
            # A few kinds of nonsense a field, others for the next one.
            for value in (NONSENSE * 2)[len(spoiled) % len(NONSENSE) :][:TRIES]:
                changed = [*lines[:place], {**lines[place], name: value}, *lines[place + 1 :]]
                spoiled.append((f"{lines[place]['kind']}.{name} = {str(value)[:20]!r}", changed))
    return spoiled


def test_no_spoiled_line_brings_the_service_down(lines: list[dict[str, Any]], other_api: Caller) -> None:
    faults, statuses = [], set()
    spoiled = list_spoiled(lines)
    prefix = lines[1]["id"][:4]
    for number, (what, changed) in enumerate(spoiled):
        # Ids of its own for each try, in the same order: none is refused because another was taken.
        text = "\n".join(map(json.dumps, changed)).replace(f'"{prefix}', f'"{number:04x}')
        answer = other_api.client.post(f"/v1/users/u-{number}/import", text, content_type="application/jsonl")
        statuses.add((answer.status_code, answer.json().get("code", "")))
        if answer.status_code >= 500:
            faults.append((what, answer.status_code, answer.json()["code"]))
        elif answer.status_code == 200:
            facts = other_api.get(f"/v1/users/u-{number}/facts")
            if facts.status_code >= 500:
                faults.append((what, facts.status_code, "facts"))
    assert len(spoiled) > 100
    assert faults == []
    assert (200, "") in statuses and statuses <= {(200, ""), (400, "import_inconsistent")}
