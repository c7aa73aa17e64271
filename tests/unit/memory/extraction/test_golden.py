"""The golden cases against scripted models over real HTTP: a perfect one, a careless one, one that says nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory.extraction.golden import Case, load_cases, make_context, render_card, run_case
from memory.extraction.judging.gate import judge
from patterns.rules.ruleset import RuleSet
from tests.scripted_model import ScriptedModel, Turn, propose

CASES = load_cases(Path(__file__).parents[3] / "data" / "golden" / "extraction.yaml")
MakeModel = Callable[..., ScriptedModel]


def answer_right(case: Case) -> dict[str, Any]:
    """What a perfect model says."""
    users = [ref for ref, message in case.material.messages.items() if message.role == "user"]
    operations = []
    for expected in sorted(case.expect):
        operation, _, rest = expected.partition(" ")
        slot, _, value = rest.partition("=")
        kind, _, key = slot.partition("/")
        fact = next((ref for ref, known in case.material.facts.items() if known.slot == (kind, key)), None)
        operations.append(
            propose(
                operation=operation,
                knowledge_type=kind,
                knowledge_key=key,
                value=value,
                knowledge_id=fact if operation != "ADD" else None,
                evidence_message_ids=users,
            )
        )
    return {"operations": operations}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_right_answer_comes_through(case: Case, rules: RuleSet, scripted_model: MakeModel) -> None:
    result = run_case(case, client=scripted_model(answer_right(case)).make_client(), rules=rules)
    assert (result.let_through, result.failure) == (case.expect, "")
    assert result.is_right


WRONG = [case for case in CASES if case.wrong is not None]


@pytest.mark.parametrize("case", WRONG, ids=[case.name for case in WRONG])
def test_a_careless_answer_is_stopped(case: Case, rules: RuleSet, scripted_model: MakeModel) -> None:
    assert case.wrong is not None
    fields = {name: getattr(case.wrong, name) for name in case.wrong.__dataclass_fields__}
    model = scripted_model({"operations": [{**fields, "evidence_message_ids": list(case.wrong.evidence_message_ids)}]})
    result = run_case(case, client=model.make_client(), rules=rules)
    assert result.proposed
    assert result.let_through == frozenset()
    assert not result.count_wrong(result.let_through)


def test_a_careless_answer_to_every_case_at_once_is_stopped_too(rules: RuleSet) -> None:
    proposals = [case.wrong for case in WRONG if case.wrong is not None]
    for case in CASES:
        decisions = judge(proposals, make_context(case, rules))
        false = {decision.operation.value for decision in decisions if decision.is_accepted}
        expected = {expected.rpartition("=")[2] for expected in case.expect}
        assert {str(value) for value in false} <= expected, case.name


def test_the_card_tells_the_model_from_the_service(rules: RuleSet, scripted_model: MakeModel) -> None:
    case = next(case for case in CASES if case.name == "K7")
    zara = propose(knowledge_type="brand_preference", knowledge_key="zara", value="zara")
    results = [
        run_case(case, client=scripted_model({"operations": [zara]}).make_client(), rules=rules),
        run_case(case, client=scripted_model(Turn(status=401)).make_client(), rules=rules),
    ]
    card = render_card(results).splitlines()
    assert card[1].split()[:3] == ["K7", "WRONG", "ok"]
    assert card[2].split() == ["K7", "WRONG", "WRONG", "model_http_401"]
    assert card[3].endswith("false facts: 0; no answer: 1")
