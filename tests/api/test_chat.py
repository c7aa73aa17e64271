"""A turn of a conversation over HTTP, with a scripted model over real HTTP."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from config.chat import turn as turns
from config.chat.skills import SkillCall, SkillResult
from config.chat.understanding import Understanding
from memory.tenants.models import Tenant
from memory.tenants.types import Scope
from memory.types import TenantRef
from tests.api.conftest import Caller, get_error
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
    monkeypatch.setattr(turns, "list_skills", lambda: [skill])
    return skill


def list_said(api: Caller) -> list[tuple[str, str]]:
    messages = api.get("/v1/users/alice/messages").json()["results"]
    return [(message["role"], message["content"]) for message in messages]


def read_events(response: Any) -> list[tuple[str, Mapping[str, Any]]]:
    text = b"".join(response.streaming_content).decode()
    parts = [part.split("\n", 1) for part in text.strip().split("\n\n")]
    return [(head.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for head, data in parts]


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
    assert "Advise with what is known" in sent
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
    assert "".join(data["text"] for name, data in events if name == "delta") == "One.\nTwo."
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
