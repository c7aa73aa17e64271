"""A broken answer harms the run that got it and no other: each run is closed, each user who is due is asked."""

import gzip
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.extraction.runs import running as run_module
from memory.extraction.tasks import extract_pending
from memory.models import ExtractionRun
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef
from tests.cast import Chatter
from tests.db.memory.extraction.conftest import ALLERGIC, WOOL, extract
from tests.scripted_model import ScriptedModel, Turn

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("no_instant_step")]

MakeModel = Callable[..., ScriptedModel]


def make_body(text: str, *, model: str = '"m"', usage: str = '{"prompt_tokens": 10}') -> Turn:
    """An answer whose text, model and usage are pieces of JSON."""
    body = f'{{"model": {model}, "choices": [{{"message": {{"content": {text}}}}}], "usage": {usage}}}'
    return Turn(body=body.encode())


def propose_value(value: str) -> str:
    """The text of an answer, as JSON in JSON, that proposes a piece of JSON as value."""
    return json.dumps('{"operations": [' + json.dumps({**WOOL, "value": 0}).replace('"value": 0', value) + "]}")


GOOD = json.dumps(json.dumps({"operations": [WOOL]}))
BROKEN = {
    "half a character in the text": make_body(r'"\ud800"'),
    "half a character in the value": make_body(propose_value(r'"value": "\ud800"')),
    "half a character in the model": make_body(GOOD, model=r'"\ud800"'),
    "NUL in the model": make_body(GOOD, model=r'"a\u0000"'),
    "NUL in the value": make_body(propose_value(r'"value": "wool\u0000"')),
    "tokens without number": make_body(GOOD, usage='{"prompt_tokens": 1e30, "completion_tokens": Infinity}'),
    "fewer tokens than none": make_body(GOOD, usage='{"prompt_tokens": -7, "completion_tokens": "9"}'),
    "a number without end": make_body(propose_value('"value": ' + "9" * 3_000)),
    "a number that is none": make_body(propose_value('"value": 1e999')),
    "two values": make_body(propose_value('"value": "cotton", "value": "wool"')),
    "a superscript": make_body(
        propose_value('"knowledge_type": "body_params", "knowledge_key": "height", "value": "²"')
    ),
    "nested": make_body(json.dumps('{"operations": ' + "[" * 100_000)),
    "nested in a value": make_body(propose_value('"value": ' + "[" * 50_000 + "]" * 50_000)),
    "packed twice": Turn(
        body=gzip.compress(gzip.compress(bytes(50_000_000))), headers={"Content-Encoding": "gzip, gzip"}
    ),
}


def list_runs(person: Chatter) -> list[ExtractionRun]:
    with tenant_scope(person.tenant.id):
        return list(ExtractionRun.objects.filter(user_id=person.ref.id))


@pytest.mark.parametrize("turn", BROKEN.values(), ids=BROKEN.keys())
def test_a_run_is_closed_whatever_the_answer_is(turn: Turn, alice: Chatter, scripted_model: MakeModel) -> None:
    alice.say(ALLERGIC)
    outcome = extract(alice, scripted_model(turn))
    assert outcome.status in ("done", "failed")
    (run,) = list_runs(alice)
    assert (run.status, run.finished_at is None) == (outcome.status, False)
    assert 0 <= run.prompt_tokens + run.completion_tokens <= 10


def test_of_five_users_who_are_due_five_are_asked(
    tenant: TenantRef, as_role: Callable[[str], None], scripted_model: MakeModel, settings: Any
) -> None:
    people = [Chatter(tenant, f"user-{number}") for number in range(5)]
    now = timezone.now()
    for person in people:
        person.say(ALLERGIC, created_at=now - timedelta(hours=1), now=now - timedelta(hours=1))
    turns = [BROKEN[name] for name in list(BROKEN)[:2]]
    turns += [BROKEN["tokens without number"], BROKEN["half a character in the model"], make_body(GOOD)]
    model = scripted_model(*turns)
    settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL = model.url, "scripted"
    as_role("worker")
    extract_pending()
    assert len(model.requests) == 5
    assert [run.status == "open" for person in people for run in list_runs(person)] == [False] * 5


def test_what_nobody_foresaw_closes_the_run_too_and_says_no_word(
    alice: Chatter, scripted_model: MakeModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError(ALLERGIC)

    monkeypatch.setattr(run_module, "read_answer", break_down)
    alice.say(ALLERGIC)
    outcome = extract(alice, scripted_model({"operations": [WOOL]}))
    assert (outcome.status, outcome.code) == ("failed", "internal_error")
    assert [run.status for run in list_runs(alice)] == ["failed"]
    assert ALLERGIC not in caplog.text
