"""Answers of a corpus in the words of a model over real HTTP: nothing left out, nothing added (SPEC N-6)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from retrieval.knowledge.metrics import FAULTS
from tests.api.conftest import Caller
from tests.api.test_knowledge import ALOR, ask
from tests.api.test_knowledge import portfolio as portfolio
from tests.scripted_model import ScriptedModel, Turn

QUESTION = "Какие достижения на проекте АЛОР?"
TEMPLATE = "\n".join(f"- {text}" for text in ALOR)
FAULTY = {
    "left_out": f"- {ALOR[0]}\n- {ALOR[1]}",
    "added_line": f"{TEMPLATE}\n- Построил новую витрину данных",
    "added_name": f"Вот что сделано, как и в СКИО:\n{TEMPLATE}",
    "added_number": f"Всего за 12 месяцев:\n{TEMPLATE}",
    "technical": f"{TEMPLATE}\n\n(confidence: 0.9)",
    "empty": " \n ",
}


@pytest.fixture
def model(settings: Any) -> Iterator[Callable[..., ScriptedModel]]:
    made: list[ScriptedModel] = []

    def make(*script: Any) -> ScriptedModel:
        made.append(ScriptedModel(*script))
        settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL = made[-1].url, f"scripted-{id(made[-1])}"
        return made[-1]

    yield make
    for one in made:
        one.stop()


def stream(api: Caller, query: str) -> tuple[str, dict[str, Any]]:
    """What was said bit by bit, and the whole answer at the end."""
    response = api.post("/v1/ask", {"corpus": "portfolio", "query": query, "stream": True})
    events = [part.split("\n", 1) for part in b"".join(response.streaming_content).decode().strip().split("\n\n")]
    read = [(head.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for head, data in events]
    return "".join(data["text"] for name, data in read if name == "delta"), read[-1][1]


def count_faults(fault: str) -> float:
    return float(FAULTS.labels(fault)._value.get())


def get_receipt(api: Caller, answer: dict[str, Any]) -> tuple[str, str]:
    receipt = api.get(f"/v1/receipts/{answer['receipt_id']}").json()
    return receipt["outcome"], receipt["fault"]


@pytest.mark.parametrize("is_stream", [False, True])
def test_a_models_words_stand_where_every_item_is_in_them(
    portfolio: Caller, model: Callable[..., ScriptedModel], is_stream: bool
) -> None:
    said = f"На проекте АЛОР сделано вот что:\n{TEMPLATE}"
    scripted = model(said.replace("- ", "* "))
    streamed, answer = stream(portfolio, QUESTION) if is_stream else (said, ask(portfolio, QUESTION))
    assert answer["answer"] == streamed == said
    assert [item["text"] for item in answer["items"]] == ALOR
    assert get_receipt(portfolio, answer) == ("model", "")
    assert len(scripted.requests) == 1 and all(
        text in json.dumps(scripted.requests[0], ensure_ascii=False) for text in ALOR
    )


@pytest.mark.parametrize("is_stream", [False, True])
@pytest.mark.parametrize("fault", FAULTY)
def test_what_a_model_leaves_out_or_adds_is_repaired_and_counted(
    portfolio: Caller, model: Callable[..., ScriptedModel], fault: str, is_stream: bool
) -> None:
    model(FAULTY[fault])
    before = count_faults(fault)
    streamed, answer = stream(portfolio, QUESTION) if is_stream else (TEMPLATE, ask(portfolio, QUESTION))
    assert answer["answer"] == streamed == TEMPLATE
    assert get_receipt(portfolio, answer) == ("repaired", fault)
    assert count_faults(fault) == before + 1


def test_a_model_that_fails_leaves_the_template(portfolio: Caller, model: Callable[..., ScriptedModel]) -> None:
    model(Turn(status=400))
    answer = ask(portfolio, QUESTION)
    assert answer["answer"] == TEMPLATE and get_receipt(portfolio, answer)[0] == "template"


def test_no_model_is_asked_where_there_is_nothing_or_none_is_wanted(
    portfolio: Caller, model: Callable[..., ScriptedModel]
) -> None:
    scripted = model("Выдумка")
    assert ask(portfolio, "Какие достижения на проекте XYZ?")["items"] == []
    assert ask(portfolio, QUESTION, model="none")["answer"] == TEMPLATE
    assert scripted.requests == []
