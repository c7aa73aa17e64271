"""The client against a scripted endpoint over real HTTP: formats, retries, time, the breaker."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.extraction.model.breaker import MAX_FAILURES, REST_SECONDS, CircuitBreaker
from memory.extraction.model.openai_client import Endpoint, ModelFailed, OpenAICompatibleClient
from memory.extraction.model.prompt import load_template
from memory.extraction.types import Prompt
from tests.scripted_model import ScriptedModel, Turn

MakeModel = Callable[..., ScriptedModel]
EMPTY = {"operations": []}


def ask(client: OpenAICompatibleClient) -> str:
    system, schema = load_template()
    return client.complete(Prompt("v1", system, "{}", schema)).text


def test_the_schema_is_asked_for_and_key_and_model_go_along(scripted_model: MakeModel) -> None:
    model = scripted_model(EMPTY)
    ask(model.make_client(key="secret"))
    (body,) = model.requests
    assert (body["model"], body["temperature"], model.keys) == ("scripted", 0, ["Bearer secret"])
    assert body["response_format"]["json_schema"]["strict"] is True


def test_without_a_key_none_is_sent(scripted_model: MakeModel) -> None:
    model = scripted_model(EMPTY)
    ask(model.make_client())
    assert model.keys == [""]


def answer_only(accepted: str) -> Callable[[dict[str, Any]], Any]:
    """An endpoint that refuses every format but one."""

    def answer(body: dict[str, Any]) -> Any:
        asked = body.get("response_format", {}).get("type", "none")
        return EMPTY if asked == accepted else Turn(status=400)

    return answer


@pytest.mark.parametrize(("accepted", "requests"), [("json_schema", 2), ("json_object", 3), ("none", 4)])
def test_the_format_that_works_is_found_once_and_kept(accepted: str, requests: int, scripted_model: MakeModel) -> None:
    model = scripted_model(answer_only(accepted))
    client = model.make_client()
    assert (ask(client), ask(client)) == ('{"operations": []}', '{"operations": []}')
    assert len(model.requests) == requests
    if accepted != "json_schema":
        assert '"evidence_message_ids"' in model.requests[-1]["messages"][0]["content"]


def test_a_format_named_in_the_settings_is_the_only_one_tried(scripted_model: MakeModel) -> None:
    model = scripted_model(answer_only("none"))
    with pytest.raises(ModelFailed) as failed:
        ask(model.make_client(answer_format="json_object"))
    assert (failed.value.code, len(model.requests)) == ("model_http_400", 1)


def test_fields_are_changed_and_taken_out_by_settings_alone(scripted_model: MakeModel) -> None:
    model = scripted_model(EMPTY)
    ask(model.make_client(extra={"temperature": None, "max_tokens": None, "max_completion_tokens": 900}))
    (body,) = model.requests
    assert "temperature" not in body
    assert "max_tokens" not in body
    assert body["max_completion_tokens"] == 900


@pytest.mark.parametrize("turn", [Turn(status=503), Turn(status=429), Turn(drops=True)])
def test_what_may_pass_is_tried_again_after_a_random_wait(turn: Turn, scripted_model: MakeModel) -> None:
    model = scripted_model(turn, turn, EMPTY)
    client = model.make_client()
    assert ask(client) == '{"operations": []}'
    assert client.waits == [0.5, 1.0]  # type: ignore[attr-defined]


def test_the_wait_that_the_endpoint_asks_for_is_kept(scripted_model: MakeModel) -> None:
    model = scripted_model(Turn(status=429, headers={"Retry-After": "3"}), EMPTY)
    client = model.make_client()
    ask(client)
    assert client.waits == [3.0]  # type: ignore[attr-defined]


@pytest.mark.parametrize("status", [401, 403])
def test_what_will_not_pass_is_not_tried_again(status: int, scripted_model: MakeModel) -> None:
    model = scripted_model(Turn(status=status))
    with pytest.raises(ModelFailed) as failed:
        ask(model.make_client())
    assert (failed.value.code, failed.value.is_permanent, len(model.requests)) == (f"model_http_{status}", True, 1)


def test_time_is_bounded_as_a_whole_and_not_by_the_read(scripted_model: MakeModel) -> None:
    model = scripted_model(Turn(content=EMPTY, trickle_seconds=0.05))
    with pytest.raises(ModelFailed) as failed:
        ask(model.make_client(timeout_seconds=0.4))
    assert failed.value.code == "model_timeout"


def test_an_error_carries_no_word_of_prompt_or_answer(scripted_model: MakeModel) -> None:
    model = scripted_model(Turn(body=b'{"choices": "the user said wool"}'))
    with pytest.raises(ModelFailed) as failed:
        ask(model.make_client())
    assert failed.value.args == ("model_answer_malformed",)
    assert failed.value.__cause__ is None


def test_an_endpoint_that_keeps_failing_is_left_alone(scripted_model: MakeModel) -> None:
    model = scripted_model(Turn(status=500))
    client = model.make_client()
    codes = []
    for _ in range(MAX_FAILURES + 1):
        with pytest.raises(ModelFailed) as failed:
            ask(client)
        codes.append(failed.value.code)
    assert codes == ["model_http_500"] * MAX_FAILURES + ["model_circuit_open"]
    assert len(model.requests) == 3 * MAX_FAILURES


def test_the_breaker_lets_a_call_through_after_its_rest() -> None:
    now = [0.0]
    breaker = CircuitBreaker(clock=lambda: now[0])
    for _ in range(MAX_FAILURES):
        breaker.note(is_success=False)
    assert not breaker.is_closed()
    now[0] = REST_SECONDS
    assert breaker.is_closed()
    breaker.note(is_success=False)
    assert not breaker.is_closed()
    now[0] = 2 * REST_SECONDS
    breaker.note(is_success=True)
    assert breaker.is_closed()


def test_cost_is_counted_by_the_prices_of_the_settings(scripted_model: MakeModel) -> None:
    client = scripted_model(EMPTY).make_client(price_in=0.5, price_out=2.0)
    system, schema = load_template()
    completion = client.complete(Prompt("v1", system, "{}", schema))
    assert (completion.prompt_tokens, completion.completion_tokens) == (1000, 50)
    assert client.endpoint.count_cost(completion) == pytest.approx(0.0006)


def test_the_key_is_not_in_the_description_of_an_endpoint() -> None:
    assert "secret" not in repr(Endpoint(url="http://host/v1", model="m", key="secret"))
