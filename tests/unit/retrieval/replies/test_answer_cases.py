"""Golden cases of replies over real HTTP: K5, K12, K12b, K14, K27 with a model that keeps the rules and ones that do not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from retrieval.replies.cases import AnswerCase, load_answer_cases, render_case, run_answer_cases
from tests.scripted_model import ScriptedModel, Turn

PATH = Path(__file__).parents[3] / "data" / "golden" / "answers.yaml"
CASES = load_answer_cases(PATH)
RAW: dict[str, dict[str, Any]] = {raw["name"]: raw for raw in yaml.safe_load(PATH.read_text(encoding="utf-8"))}
MakeModel = Callable[..., ScriptedModel]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_reply_that_keeps_to_the_rules_is_right(case: AnswerCase, scripted_model: MakeModel) -> None:
    model = scripted_model(RAW[case.name]["good"])
    (result,) = run_answer_cases(model.make_client(), only=[case.name], path=PATH)
    assert (result.name, result.is_right, result.outcome) == (case.name, True, "kept to the rules")
    sent = model.requests[0]["messages"]
    assert sent == render_case(case)
    assert sent[-1] == {"role": "user", "content": case.question}
    assert "response_format" not in model.requests[0]


BAD = [(case, bad) for case in CASES for bad in RAW[case.name]["bad"]]


@pytest.mark.parametrize(("case", "bad"), BAD, ids=[f"{case.name}-{bad['code']}" for case, bad in BAD])
def test_a_reply_that_does_not_is_named_by_its_fault(
    case: AnswerCase, bad: dict[str, str], scripted_model: MakeModel
) -> None:
    (result,) = run_answer_cases(scripted_model(bad["reply"]).make_client(), only=[case.name], path=PATH)
    assert not result.is_right
    assert bad["code"] in result.outcome.split(", ")


def test_k14_the_pack_itself_carries_the_rule_of_naturalness() -> None:
    (case,) = [case for case in CASES if case.name == "K14"]
    system = render_case(case)[0]["content"]
    assert "Never quote a memory" in system
    assert "Never mention dates of memories, ids, scores" in system


def test_k27_the_rules_are_arabic_and_the_memories_stay_as_they_were_said() -> None:
    (case,) = [case for case in CASES if case.name == "K27"]
    system = render_case(case)[0]["content"]
    assert "أجب بلغة المستخدم الآن" in system
    assert "льняные брюки" in system


def test_a_model_that_fails_is_wrong_by_its_code(scripted_model: MakeModel) -> None:
    results = list(run_answer_cases(scripted_model(Turn(status=401)).make_client(), path=PATH))
    assert {result.outcome for result in results} == {"model_http_401"}
    assert not any(result.is_right for result in results)
