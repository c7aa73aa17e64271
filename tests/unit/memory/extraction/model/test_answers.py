"""Whatever a model sends: operations in form, or a code."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.extraction.model.answers import MAX_OPERATIONS, AnswerUnreadable, read_answer
from memory.extraction.model.prompt import load_template
from memory.extraction.types import EXTRACTABLE_TYPES
from tests.scripted_model import propose
from tests.unit.memory.extraction.conftest import OPERATIONS

WOOL = propose(knowledge_key="wool", value="wool")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"operations": [WOOL]}),
        json.dumps([WOOL]),
        "```json\n" + json.dumps({"operations": [WOOL]}) + "\n```",
        "  \n" + json.dumps({"note": "extra fields are nobody's business", "operations": [WOOL]}) + "\n",
    ],
)
def test_an_object_a_list_and_a_fenced_one_are_read(text: str) -> None:
    (operation,) = read_answer(text).operations
    assert (operation.operation, operation.value, operation.evidence_message_ids) == ("ADD", "wool", ("m1",))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "answer_empty"),
        ("Sure! Here are the operations:", "answer_prose"),
        ('{"operations": [', "answer_not_json"),
        ('{"operations": null}', "answer_without_operations"),
        ('{"facts": []}', "answer_without_operations"),
        ("[" * 100_000, "answer_not_json"),
    ],
)
def test_everything_else_is_named_by_a_code(text: str, code: str) -> None:
    with pytest.raises(AnswerUnreadable) as refused:
        read_answer(text)
    assert refused.value.code == code
    assert refused.value.args == (code,)


@pytest.mark.parametrize(
    "broken",
    [
        {"operation": "DELETE"},
        {"confidence": 2},
        {"confidence": "high"},
        {"evidence_message_ids": "m1"},
        {"evidence_message_ids": ["m1"] * 21},
        {"value": "x" * 201},
        {"value": {"nested": 1}},
        {"subject": "me"},
    ],
)
def test_one_operation_without_form_costs_no_other(broken: dict[str, object]) -> None:
    answer = read_answer(json.dumps({"operations": [{**WOOL, **broken}, WOOL]}))
    assert (len(answer.operations), answer.malformed) == (1, 1)


def test_more_operations_than_a_run_can_have_are_left_out() -> None:
    answer = read_answer(json.dumps({"operations": [WOOL] * 10_000}))
    assert (len(answer.operations), answer.left_out) == (MAX_OPERATIONS, 10_000 - MAX_OPERATIONS)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text())
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        assert read_answer(text).operations == ()
    except AnswerUnreadable as refused:
        assert refused.code.startswith("answer_")


def test_the_schema_beside_the_prompt_names_the_same_words() -> None:
    _, schema = load_template()
    operation = schema["properties"]["operations"]["items"]
    assert operation["properties"]["operation"]["enum"] == list(OPERATIONS)
    assert operation["properties"]["knowledge_type"]["enum"] == list(EXTRACTABLE_TYPES)
    assert set(operation["required"]) == set(operation["properties"])
