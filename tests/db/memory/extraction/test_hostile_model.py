"""Proposals of a hostile model through the whole of a run: a sample of `hostile.jsonl` over real HTTP into the store."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.extraction.unproven.candidates import UNKNOWN_ALLERGEN, list_open_candidates
from memory.types import TenantRef
from tests.cast import Chatter
from tests.db.memory.extraction.conftest import extract
from tests.scripted_model import ScriptedModel, propose
from tests.unit.memory.extraction.test_hostile_model import CASES, name_case

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_instant_step")]

EVERY = 12
SINGLE = [case for case in CASES if case["proposal"]["operation"] == "ADD" and len(case["messages"]) == 1]
FALSE = [case for case in SINGLE if case["expected"] == "refused"][::EVERY]
TRUE = [case for case in SINGLE if case["expected"] == "accepted"][:: EVERY // 2]


def run_case(case: dict[str, Any], tenant: TenantRef, scripted_model: Callable[..., ScriptedModel]) -> Chatter:
    """Somebody says the words, and the model proposes."""
    person = Chatter(tenant, case["id"])
    person.say(case["messages"][0]["text"])
    asked = case["proposal"]
    operation = propose(knowledge_type=asked["type"], knowledge_key=asked["key"], value=asked["value"])
    assert extract(person, scripted_model({"operations": [operation]})).status == "done"
    return person


@pytest.mark.parametrize("case", FALSE, ids=name_case)
def test_a_false_proposal_reaches_no_fact_and_no_pack(
    case: dict[str, Any], tenant: TenantRef, scripted_model: Callable[..., ScriptedModel]
) -> None:
    person = run_case(case, tenant, scripted_model)
    assert person.list_facts() == {}
    assert [one for one in person.read(list_open_candidates) if one.kind == UNKNOWN_ALLERGEN] == []


@pytest.mark.parametrize("case", TRUE, ids=name_case)
def test_a_true_proposal_becomes_a_fact(
    case: dict[str, Any], tenant: TenantRef, scripted_model: Callable[..., ScriptedModel]
) -> None:
    person = run_case(case, tenant, scripted_model)
    assert list(person.list_facts()) == [(case["proposal"]["type"], case["proposal"]["key"])]
