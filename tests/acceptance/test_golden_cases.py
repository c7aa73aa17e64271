"""The golden cases of the knowledge staging pipeline by name: from the message to the fact, through the whole program."""

from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from memory.facts.reading import list_active_facts
from memory.selectors.messages import list_neighbours
from memory.services.facts import expire_user_facts
from memory.storing.types import Recorded
from memory.types import Fact
from tests.cast import DUBAI, Chatter

CASES = yaml.safe_load((Path(__file__).parent.parent / "data" / "golden" / "ksp.yaml").read_text(encoding="utf-8"))


def name_fact(fact: Fact) -> str:
    return f"{fact.knowledge_type}/{fact.knowledge_key}={fact.value}"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_golden(case: dict[str, Any], alice: Chatter):
    for step in case["steps"]:
        recorded = take(step, alice)
        if recorded is not None:
            check_answer(step, recorded)
        check_memory(step, alice)


def take(step: dict[str, Any], chatter: Chatter) -> Recorded | None:
    """Do what a step says."""
    if "expire" in step:
        expire_user_facts(user=chatter.ref, now=parse(step["expire"]))
    for role in ("user", "assistant"):
        if role in step:
            timing = {"created_at": parse(step["at"]), "now": parse(step["at"])} if "at" in step else {}
            return chatter.say(step[role], role=role, **timing)
    return None


def check_answer(step: dict[str, Any], recorded: Recorded) -> None:
    if "answer" in step:
        said = sorted(f"{name_fact(change.fact)} {change.action}" for change in recorded.changes)
        assert said == sorted(step["answer"])
    if "corrections" in step:
        assert [f"{c.correction_type} {c.action}" for c in recorded.corrections] == step["corrections"]
    facts = {f"{c.fact.knowledge_type}/{c.fact.knowledge_key}": c.fact for c in recorded.changes}
    for key, confidence in step.get("confidence", {}).items():
        if key in facts:
            assert facts[key].confidence == confidence
    for key, day in step.get("expires", {}).items():
        assert facts[key].expires_at is not None
        assert facts[key].expires_at.astimezone(DUBAI).date() == day


def check_memory(step: dict[str, Any], chatter: Chatter) -> None:
    if "facts" not in step:
        return
    held = chatter.read(list_active_facts)
    assert sorted(name_fact(fact) + ("?" if fact.is_disputed else "") for fact in held) == sorted(step["facts"])
    for key, length in step.get("evidence_span", {}).items():
        fact = next(fact for fact in held if f"{fact.knowledge_type}/{fact.knowledge_key}" == key)
        spans = chatter.read(list_neighbours, message_ids=fact.evidence_message_ids)
        assert sum(1 + len(near) for near in spans.values()) == length


def parse(value: Any) -> datetime:
    """A time of the data file, which YAML may have parsed already."""
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo("UTC"))


def test_the_days_of_the_data_file_are_days():
    days = [day for case in CASES for step in case["steps"] for day in step.get("expires", {}).values()]
    assert days
    assert all(isinstance(day, date) for day in days)
