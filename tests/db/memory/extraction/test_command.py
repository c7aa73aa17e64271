"""`manage.py run_golden` against an endpoint, and what is said where there is none."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.extraction.configuration import check_extraction, describe_extraction, find_client
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.django_db


def test_the_card_is_printed_and_a_silent_model_is_not_a_wrong_one(
    scripted_model: Callable[..., ScriptedModel],
) -> None:
    out = StringIO()
    model = scripted_model()
    call_command("run_golden", endpoint=model.url, model="scripted", stdout=out, stderr=StringIO())
    card = out.getvalue()
    assert card.startswith("case")
    assert "false facts: 0; no answer: 0" in card
    extraction, answers = card.split("\n\n")
    assert len(model.requests) == extraction.count("\n") - 1 + answers.count("\n") - 2
    assert {"K5", "K7", "K8", "K9", "K12", "K23", "K24"} <= {line.split()[0] for line in extraction.splitlines()}
    assert {"K5", "K12", "K12b", "K14", "K27"} <= {line.split()[0] for line in answers.splitlines() if line}


def test_one_suite_and_one_case_may_be_asked_for(scripted_model: Callable[..., ScriptedModel]) -> None:
    out = StringIO()
    model = scripted_model("On 2026-02-11 you wore a blazer.")
    call_command(
        "run_golden",
        endpoint=model.url,
        model="scripted",
        suite="answers",
        only=["K14"],
        stdout=out,
        stderr=StringIO(),
    )
    assert len(model.requests) == 1
    assert "WRONG  prints_date" in out.getvalue()
    assert "1 cases: right in 0" in out.getvalue()


def test_without_an_endpoint_the_command_says_what_to_name() -> None:
    with pytest.raises(CommandError, match="UNDE_LLM_URL"):
        call_command("run_golden", stdout=StringIO(), stderr=StringIO())


def test_extraction_without_an_endpoint_is_off_and_says_so(client: Any) -> None:
    assert find_client() is None
    assert describe_extraction().startswith("off:")
    (message,) = check_extraction(None)
    assert (message.id, message.is_serious()) == ("memory.I001", False)
    assert client.get("/readyz?verbose=1").json()["features"]["extraction"].startswith("off:")


def test_with_an_endpoint_it_is_on_and_names_the_model_alone(settings: Any) -> None:
    settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL, settings.UNDE_LLM_KEY = "http://llm:8000/v1", "qwen", "secret"
    assert describe_extraction() == "on: qwen"
    assert check_extraction(None) == []
    client = find_client()
    assert client is not None
    assert client is find_client()
    assert client.endpoint.key == "secret"


@pytest.mark.parametrize(
    "wrong",
    [
        {"UNDE_LLM_URL": "http://llm/v1", "UNDE_LLM_MODEL": ""},
        {"UNDE_LLM_URL": "llm.example", "UNDE_LLM_MODEL": "m"},
        {"UNDE_LLM_URL": "http://llm/v1", "UNDE_LLM_MODEL": "m", "UNDE_LLM_TIMEOUT": 0},
        {"UNDE_LLM_URL": "http://llm/v1", "UNDE_LLM_MODEL": "m", "UNDE_LLM_FORMAT": "xml"},
        {"UNDE_LLM_URL": "http://llm/v1", "UNDE_LLM_MODEL": "m", "UNDE_LLM_EXTRA": ["temperature"]},
    ],
)
def test_settings_that_cannot_work_are_an_error_at_start(wrong: dict[str, Any], settings: Any) -> None:
    for name, value in wrong.items():
        setattr(settings, name, value)
    (message,) = check_extraction(None)
    assert message.id == "memory.E001"
    assert describe_extraction().startswith("off:")
