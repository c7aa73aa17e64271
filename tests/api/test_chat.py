"""A turn of a conversation over HTTP, with a scripted model over real HTTP."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from config.chat import turn as turns
from config.chat.models import ChatTurn
from config.chat.skills import SkillCall, SkillResult
from config.chat.understanding import Understanding
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import TenantRef
from tests.api.conftest import Caller, get_error
from tests.plugin.unplugged import unplug
from tests.scripted_model import ScriptedModel, Turn

pytestmark = pytest.mark.django_db
ASKED = {"user_id": "alice", "conversation_id": "c-1", "message": "What should I wear tomorrow?", "id": "m-1"}


@pytest.fixture
def talk(settings: Any) -> Iterator[Callable[..., ScriptedModel]]:
    """Makes the installation's model say what a script says."""
    made: list[ScriptedModel] = []

    def make(*script: Any) -> ScriptedModel:
        model = ScriptedModel(*script)
        made.append(model)
        settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL = model.url, f"scripted-{id(model)}"
        return model

    yield make
    for model in made:
        model.stop()


@pytest.fixture
def no_model(settings: Any) -> None:
    settings.UNDE_LLM_URL = settings.UNDE_LLM_MODEL = ""


class TailorSkill:
    """A skill that is given what it needs and says what it did."""

    name, capabilities = "tailor", ("order",)
    missing = ""

    def can_handle(self, understanding: Understanding) -> float:
        return 0.8

    def check(self) -> str:
        return self.missing

    def run(self, call: SkillCall) -> SkillResult:
        if "broken" in call.text:
            raise RuntimeError("words of the user: broken")
        return SkillResult(f"Ordered in {call.pack['facts'][0]['value']}.", {"order_id": "o-1"})


@pytest.fixture
def tailor(monkeypatch: pytest.MonkeyPatch) -> TailorSkill:
    skill = TailorSkill()
    monkeypatch.setattr(turns, "list_skills", lambda: (skill,))
    return skill


def list_said(api: Caller) -> list[tuple[str, str]]:
    messages = api.get("/v1/users/alice/messages").json()["results"]
    return [(message["role"], message["content"]) for message in messages]


def read_events(response: Any) -> list[tuple[str, Mapping[str, Any]]]:
    text = b"".join(response.streaming_content).decode()
    parts = [part.split("\n") for part in text.strip().split("\n\n")]
    return [(lines[0].removeprefix("event: "), json.loads(lines[-1].removeprefix("data: "))) for lines in parts]


def read_ids(text: str) -> list[str]:
    return [line.removeprefix("id: ") for line in text.splitlines() if line.startswith("id: ")]


def stream(api: Caller, **more: Any) -> Any:
    headers = {"HTTP_LAST_EVENT_ID": more.pop("after")} if "after" in more else {}
    return api.client.post("/v1/chat", {**ASKED, "stream": True, **more}, content_type="application/json", **headers)


def leave(response: Any) -> None:
    """What a server does when the reader has gone, without the end of the request, which would end the test's data."""
    for close in response._resource_closers:
        close()


def read_row(tenant: TenantRef) -> ChatTurn:
    with tenant_scope(tenant.id):
        return ChatTurn.objects.get()


def test_a_turn_stores_both_sides_and_tells_the_model_what_is_known(
    api: Caller, talk: Callable[..., ScriptedModel]
) -> None:
    api.send("my size is M")
    model = talk("A knee-length dress in M.")
    answer = api.post("/v1/chat", ASKED).json()
    assert answer["reply"] == "A knee-length dress in M."
    assert answer["intent"]["intent_type"] == "recommendation"
    assert list_said(api)[1:] == [("user", ASKED["message"]), ("assistant", "A knee-length dress in M.")]
    sent = json.dumps(model.requests[0]["messages"])
    assert "body_params" in sent
    assert "Advise this person and no other" in sent
    assert model.requests[0]["messages"][-1] == {"role": "user", "content": ASKED["message"]}
    receipt = api.get(f"/v1/receipts/{answer['receipt_id']}")
    assert receipt.status_code == 200


def test_what_the_message_states_is_a_fact_at_once(api: Caller, talk: Callable[..., ScriptedModel]) -> None:
    talk("Noted.")
    answer = api.post("/v1/chat", {**ASKED, "message": "I am allergic to wool"}).json()
    assert [fact["value"] for fact in answer["facts"]] == ["wool"]
    assert answer["intent"]["extracted_entities"] == {"wool": "wool"}


def test_the_same_turn_again_gives_the_same_reply_and_asks_nobody(
    api: Caller, talk: Callable[..., ScriptedModel]
) -> None:
    model = talk("First.", "Second.")
    first = api.post("/v1/chat", ASKED).json()
    again = api.post("/v1/chat", {**ASKED, "stream": True})
    assert read_events(again)[-1][1]["reply_id"] == first["reply_id"]
    assert len(model.requests) == 1
    assert len(list_said(api)) == 2


def test_a_model_that_fails_loses_nothing_and_the_turn_goes_on_later(
    api: Caller, talk: Callable[..., ScriptedModel]
) -> None:
    talk(Turn(status=400))
    fields = get_error(api.post("/v1/chat", ASKED), 503, "model_unavailable")
    assert set(fields) == {"model"}
    assert list_said(api) == [("user", ASKED["message"])]
    talk("Here I am.")
    assert api.post("/v1/chat", ASKED).json()["reply"] == "Here I am."
    assert len(list_said(api)) == 2


def test_without_a_model_the_message_is_stored_and_the_answer_says_what_is_missing(api: Caller, no_model: None) -> None:
    get_error(api.post("/v1/chat", ASKED), 409, "model_not_configured")
    assert list_said(api) == [("user", ASKED["message"])]


def test_a_stream_tells_the_receipt_then_the_words_then_everything(
    api: Caller, talk: Callable[..., ScriptedModel]
) -> None:
    talk("One.\nTwo.")
    response = api.client.post("/v1/chat", {**ASKED, "stream": True}, content_type="application/json")
    assert (response["Content-Type"], response["X-Accel-Buffering"]) == ("text/event-stream", "no")
    events = read_events(response)
    assert [name for name, _ in events] == ["receipt", "delta", "delta", "reply"]
    assert [data["text"] for name, data in events if name == "delta"] == ["One.", "\nTwo."]
    assert list_said(api)[-1] == ("assistant", "One.\nTwo.")
    assert events[0][1]["receipt_id"] == events[-1][1]["receipt_id"]


def test_a_persona_of_the_tenant_is_said_before_everything(
    api: Caller, tenant: TenantRef, talk: Callable[..., ScriptedModel]
) -> None:
    Tenant.objects.filter(id=tenant.id).update(settings={"persona": "You are Noor, a calm stylist."})
    model = talk("Hello.")
    api.post("/v1/chat", {**ASKED, "message": "Hello"})
    assert model.requests[0]["messages"][0] == {"role": "system", "content": "You are Noor, a calm stylist."}


def test_an_action_goes_to_the_skill_that_fits_with_a_receipt(api: Caller, no_model: None, tailor: TailorSkill) -> None:
    api.send("my size is M")
    answer = api.post("/v1/chat", {**ASKED, "message": "Please order the blue one"}).json()
    assert answer["reply"] == "Ordered in M."
    assert (answer["skill"]["status"], answer["skill"]["receipt"]) == ("done", {"order_id": "o-1"})
    assert list_said(api)[-1] == ("assistant", "Ordered in M.")


@pytest.mark.parametrize(
    ("message", "skills", "missing", "status"),
    [
        ("order the broken one", None, "", "failed"),
        ("order the blue one", None, "no_tools", "unavailable"),
        ("order the blue one", [], "", None),
    ],
)
def test_an_action_that_nobody_can_carry_out_is_refused_kindly(
    api: Caller,
    no_model: None,
    tailor: TailorSkill,
    message: str,
    skills: Sequence[str] | None,
    missing: str,
    status: str,
) -> None:
    tailor.missing = missing
    answer = api.post("/v1/chat", {**ASKED, "message": message, "skills": skills}).json()
    assert answer["reply"].startswith("I can't do that for you yet")
    assert (answer["skill"] or {}).get("status") == status


def test_a_refusal_is_in_the_language_of_the_message(api: Caller, no_model: None) -> None:
    answer = api.post("/v1/chat", {**ASKED, "message": "закажи мне синее платье"}).json()
    assert answer["reply"].startswith("Этого я пока сделать не могу")


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"message": ""}, "message"), ({"message": None}, "message"), ({"user_id": ""}, "user_id"), ({"x": 1}, "x")],
)
def test_a_bad_turn_is_refused_and_its_field_named(api: Caller, changes: dict[str, Any], field: str) -> None:
    assert field in get_error(api.post("/v1/chat", {**ASKED, **changes}), 400, "invalid_request")


def test_chat_is_a_scope_of_its_own_and_enough_for_a_turn(
    make_api: Callable[..., Caller], talk: Callable[..., ScriptedModel]
) -> None:
    talk("Hello.")
    get_error(make_api(Scope.READ, Scope.WRITE).post("/v1/chat", ASKED), 403, "missing_scope")
    assert make_api(Scope.CHAT_WRITE).post("/v1/chat", ASKED).json()["reply"] == "Hello."


def test_words_reach_the_reader_while_the_model_still_speaks(api: Caller, talk: Callable[..., ScriptedModel]) -> None:
    goes_on = threading.Event()
    talk(Turn("A knee-length dress.", waits_for=goes_on))
    pieces = iter(stream(api).streaming_content)
    assert next(pieces).startswith(b"event: receipt")
    assert b'{"text":"A"}' in next(pieces)
    assert [role for role, _ in list_said(api)] == ["user"]
    goes_on.set()
    assert b"event: reply" in b"".join(pieces)
    assert list_said(api)[-1] == ("assistant", "A knee-length dress.")


def test_a_reader_who_goes_away_leaves_a_reply_that_is_whole(
    api: Caller, tenant: TenantRef, talk: Callable[..., ScriptedModel]
) -> None:
    model = talk("One two three.")
    response = stream(api)
    pieces = iter(response.streaming_content)
    seen = (next(pieces) + next(pieces)).decode()
    leave(response)
    assert list_said(api)[-1] == ("assistant", "One two three.")
    assert read_row(tenant).state == "done"
    events = read_events(stream(api, after=read_ids(seen)[0]))
    assert events[0][1]["offset"] == len("One")
    assert "".join(data["text"] for name, data in events if name == "delta") == " two three."
    assert events[-1][1]["reply"] == "One two three."
    assert len(model.requests) == 1


def test_an_unplugged_model_is_not_asked_and_what_was_said_is_kept(
    api: Caller, talk: Callable[..., ScriptedModel]
) -> None:
    model = talk("One two.")
    with unplug():
        answer = api.post("/v1/chat", ASKED)
    assert (model.requests, "One two." in answer.content.decode()) == ([], False)
    assert list_said(api)[0][0] == "user"
    api.post("/v1/chat", {**ASKED, "id": "m-2"})
    assert len(model.requests) == 1


def test_a_reader_who_never_reads_leaves_a_reply_too(api: Caller, talk: Callable[..., ScriptedModel]) -> None:
    talk("One two.")
    leave(stream(api))
    assert list_said(api)[-1] == ("assistant", "One two.")


@pytest.mark.parametrize("after", ["", "x", ":3", "01a2209998967606ac20d2fd015b685f:3", "a:-1", "a:٣"])
def test_an_event_of_another_reply_starts_at_the_beginning(
    api: Caller, talk: Callable[..., ScriptedModel], after: str
) -> None:
    talk("One two.")
    leave(stream(api))
    assert read_events(stream(api, after=after))[0][1]["offset"] == 0


def test_an_offset_behind_the_end_gives_the_end(api: Caller, talk: Callable[..., ScriptedModel]) -> None:
    talk("One two.")
    receipt_id = api.post("/v1/chat", ASKED).json()["receipt_id"]
    events = read_events(stream(api, after=f"{receipt_id}:{'9' * 5_000}"))
    assert [name for name, _ in events] == ["receipt", "reply"]


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (Turn("One two three.", breaks_after=1), "model_stream_broken"),
        (Turn("One two three.", finish_reason="length"), "answer_cut_off"),
        (Turn(" \n "), "empty_answer"),
        (Turn(status=400), "model_http_400"),
        (Turn(body=b"{}"), "model_answer_malformed"),
    ],
)
def test_a_stream_that_fails_says_so_stores_no_reply_and_begins_anew(
    api: Caller, tenant: TenantRef, talk: Callable[..., ScriptedModel], turn: Turn, code: str
) -> None:
    talk(turn)
    text = b"".join(stream(api).streaming_content).decode()
    assert f'"model":"{code}"' in text
    assert "event: error" in text
    assert "event: reply" not in text
    assert list_said(api) == [("user", ASKED["message"])]
    assert (read_row(tenant).state, read_row(tenant).failure) == ("failed", "model_unavailable")
    talk("Here I am.")
    events = read_events(stream(api, after=(read_ids(text) or [""])[0]))
    assert events[0][1]["offset"] == 0
    assert events[-1][1]["reply"] == "Here I am."
    assert (read_row(tenant).state, read_row(tenant).tries) == ("done", 2)


def test_a_stream_without_a_model_is_an_error_event_with_its_code(api: Caller, no_model: None) -> None:
    assert read_events(stream(api))[-1][1]["code"] == "model_not_configured"


def test_an_endpoint_without_streams_gives_its_answer_at_once(api: Caller, talk: Callable[..., ScriptedModel]) -> None:
    talk(Turn(" One two. ", answers_whole=True))
    events = read_events(stream(api))
    assert [data["text"] for name, data in events if name == "delta"] == ["One two."]


def test_a_request_that_comes_while_another_answers_waits_for_its_reply_and_asks_nobody(
    api: Caller, tenant: TenantRef, talk: Callable[..., ScriptedModel], settings: Any
) -> None:
    model = talk("One two.")
    first = stream(api)
    settings.UNDE_TUNING = SimpleNamespace(**{**vars(settings.UNDE_TUNING), "CHAT_WAIT_SECONDS": 0.0})
    get_error(api.post("/v1/chat", ASKED), 503, "turn_running")
    leave(first)
    assert api.post("/v1/chat", ASKED).json()["reply"] == "One two."
    assert len(model.requests) == 1


def test_a_process_that_dies_leaves_a_turn_that_another_takes_over(
    api: Caller, tenant: TenantRef, talk: Callable[..., ScriptedModel], settings: Any
) -> None:
    talk("One two.")
    settings.UNDE_TUNING = SimpleNamespace(**{**vars(settings.UNDE_TUNING), "CHAT_CLAIM": timedelta(0)})
    abandoned = stream(api)
    assert api.post("/v1/chat", ASKED).json()["reply"] == "One two."
    leave(abandoned)
    assert len(list_said(api)) == 2
    assert read_row(tenant).state == "done"


def test_a_receipt_of_an_execution_is_kept_given_again_and_exported(
    api: Caller, tenant: TenantRef, no_model: None, tailor: TailorSkill
) -> None:
    api.send("my size is M")
    first = api.post("/v1/chat", {**ASKED, "message": "Please order the blue one"}).json()
    again = api.post("/v1/chat", {**ASKED, "message": "Please order the blue one"}).json()
    assert again["skill"] == first["skill"]
    assert again["intent"] == first["intent"]
    row = read_row(tenant)
    assert (row.skill, row.skill_status, str(row.reply_id)) == ("tailor", "done", first["reply_id"])
    assert b"o-1" not in bytes(row.sealed)
    lines = [json.loads(line) for line in b"".join(api.get("/v1/users/alice/export").streaming_content).splitlines()]
    (turn,) = [line for line in lines if line["kind"] == "chat_turn"]
    assert turn["details"]["skill_receipt"] == {"order_id": "o-1"}
    api.post(f"/v1/messages/{first['message_id']}/forget", {})
    lines = [json.loads(line) for line in b"".join(api.get("/v1/users/alice/export").streaming_content).splitlines()]
    assert not [line for line in lines if line["kind"] == "chat_turn"]


def test_a_skill_that_the_tenant_has_not_permitted_does_not_run(
    api: Caller, tenant: TenantRef, no_model: None, tailor: TailorSkill
) -> None:
    Tenant.objects.filter(id=tenant.id).update(settings={"skills": ["florist"]})
    answer = api.post("/v1/chat", {**ASKED, "message": "Please order the blue one"}).json()
    assert (answer["skill"]["status"], answer["skill"]["code"]) == ("refused", "skill_not_allowed")
    assert answer["reply"].startswith("I can't do that for you yet")


def test_tone_follows_persona_and_guides_are_in_the_language_of_the_message(
    api: Caller, tenant: TenantRef, talk: Callable[..., ScriptedModel]
) -> None:
    Tenant.objects.filter(id=tenant.id).update(settings={"persona": "You are Noor.", "tone": "Warm and brief."})
    model = talk("Здравствуйте.")
    api.post("/v1/chat", {**ASKED, "message": "Привет"})
    sent = model.requests[0]["messages"]
    assert sent[0]["content"] == "You are Noor.\nWarm and brief."
    assert "Разговор начинается" in json.dumps(sent, ensure_ascii=False)


def test_a_model_says_what_a_message_wants_where_the_rules_are_not_sure(
    api: Caller, tenant: TenantRef, talk: Callable[..., ScriptedModel]
) -> None:
    Tenant.objects.filter(id=tenant.id).update(settings={"is_chat_understanding_on": True})
    said = {"intent_type": "complaint", "confidence": 0.8, "extracted_entities": {"item": "zipper", "city": "Paris"}}
    talk(json.dumps(said), "I am sorry.")
    answer = api.post("/v1/chat", {**ASKED, "message": "The zipper gave up after one day"}).json()
    assert (answer["intent"]["intent_type"], answer["intent"]["made_by"]) == ("complaint", "model")
    assert answer["intent"]["extracted_entities"] == {"item": "zipper"}
    assert answer["reply"] == "I am sorry."


@pytest.mark.parametrize("said", ["no json", "{}", '{"intent_type":"rob_a_bank","confidence":1}', Turn(status=400)])
def test_a_model_that_makes_no_sense_leaves_it_to_the_rules(
    api: Caller, tenant: TenantRef, talk: Callable[..., ScriptedModel], said: Any
) -> None:
    Tenant.objects.filter(id=tenant.id).update(settings={"is_chat_understanding_on": True})
    talk(said, said, said, "Hm.") if isinstance(said, Turn) else talk(said, "Hm.")
    answer = api.post("/v1/chat", {**ASKED, "message": "The zipper gave up after one day"}).json()
    assert (answer.get("intent") or {}).get("made_by", "rules") == "rules"


def test_the_context_of_a_project_is_read_where_the_key_may_read_projects(
    api: Caller, make_api: Callable[..., Caller], talk: Callable[..., ScriptedModel]
) -> None:
    api.post("/v1/projects", {"id": "apollo", "name": "Apollo", "mission": "Move the shop to the new warehouse"})
    model = talk("In March.")
    get_error(make_api(Scope.CHAT_WRITE).post("/v1/chat", {**ASKED, "project_id": "apollo"}), 403, "missing_scope")
    answer = api.post("/v1/chat", {**ASKED, "project_id": "apollo"}).json()
    assert "Move the shop to the new warehouse" in json.dumps(model.requests[0]["messages"])
    assert answer["snapshot_id"]
    get_error(api.post("/v1/chat", {**ASKED, "id": "m-2", "project_id": "nobody"}), 404, "not_found")
    assert list_said(api)[-1] == ("user", ASKED["message"])
