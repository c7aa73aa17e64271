"""A question in other words: where a tenant wants it and a model is there; never in the way (SPEC S-2)."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.tenants.models import Tenant
from tests.caller import Caller, api
from tests.scripted_model import ScriptedModel, Turn

__all__ = ["api"]

SAID = "our automobile is in the garage"
ASKED = "where is it?"  # no word and no vector of its own: what is found is found by the other wording


@pytest.fixture
def told(api: Caller, tenant: Any, settings: Any) -> Callable[..., ScriptedModel]:
    """Switches rewriting on with a model; returns the model."""
    api.send(SAID)
    api.send("the weather is hot again")
    Tenant.objects.filter(id=tenant.id).update(settings={"is_query_rewriting_on": True})

    def use(model: ScriptedModel) -> ScriptedModel:
        settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL, settings.UNDE_LLM_TIMEOUT = model.url, "scripted", 30.0
        return model

    return use


def search(api: Caller, **more: Any) -> dict[str, Any]:
    answer = api.post("/v1/search", {"user_id": "alice", "query": ASKED, "trace": True, **more})
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def list_texts(answer: dict[str, Any]) -> list[str]:
    return [hit["raw_excerpt"] for hit in answer["results"]]


def test_other_words_find_what_the_question_misses_and_the_trace_names_them(
    api: Caller, told: Callable[..., ScriptedModel], scripted_model: Callable[..., ScriptedModel]
):
    model = told(scripted_model({"queries": ["automobile in the garage", ASKED, "automobile in the garage"]}))
    answer = search(api)
    assert list_texts(answer)[0] == SAID
    assert answer["trace"]["wordings"] == ["automobile in the garage"]
    assert "rewriting" in answer["trace"]["stores"]
    assert answer["trace"]["candidates"][0]["parts"]["rewritten"] == pytest.approx(0.7)
    assert answer["degraded_reason"] is None
    assert len(model.requests) == 1
    pack = api.post("/v1/context", {"user_id": "alice", "conversation_id": "new", "query": ASKED}).json()
    assert pack["episode_cards"][0]["raw_excerpt"] == SAID


def test_it_is_off_unless_the_tenant_says_otherwise(
    api: Caller, told: Callable[..., ScriptedModel], scripted_model: Callable[..., ScriptedModel], tenant: Any
):
    model = told(scripted_model({"queries": ["automobile"]}))
    Tenant.objects.filter(id=tenant.id).update(settings={})
    assert search(api)["trace"]["wordings"] == []
    assert model.requests == []


def test_without_a_model_nothing_is_asked_and_nothing_is_said(api: Caller, told: Callable[..., ScriptedModel]):
    answer = search(api, query="garage")
    assert (list_texts(answer)[0], answer["degraded_reason"]) == (SAID, None)


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        (Turn(status=500), "rewriting_failed"),
        (Turn(status=401), "rewriting_failed"),
        (Turn({"queries": ["automobile"]}, delay_seconds=5.0), "rewriting_late"),
        (Turn({"queries": ["automobile"]}, trickle_seconds=0.2), "rewriting_late"),
    ],
)
def test_a_model_that_fails_or_hangs_is_never_in_the_way(
    api: Caller,
    told: Callable[..., ScriptedModel],
    scripted_model: Callable[..., ScriptedModel],
    settings: Any,
    turn: Turn,
    reason: str,
):
    settings.UNDE_REWRITE_DEADLINE_MS = 150
    told(scripted_model(turn))
    answer = search(api, query="garage")
    assert list_texts(answer)[0] == SAID
    # Tries that would come after the deadline are not made: failing early and late look alike to a hurried caller.
    assert answer["degraded_reason"] in {reason, "rewriting_late"}
    assert answer["trace"]["wordings"] == []


@pytest.mark.parametrize("content", ["no JSON", {"queries": 5}, {"queries": [1, None, ""]}, {"other": []}])
def test_an_answer_that_is_none_changes_nothing(
    api: Caller, told: Callable[..., ScriptedModel], scripted_model: Callable[..., ScriptedModel], content: Any
):
    told(scripted_model(content))
    answer = search(api, query="garage")
    assert (list_texts(answer)[0], answer["trace"]["wordings"]) == (SAID, [])
