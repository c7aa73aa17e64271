"""The Python client against the running service, over real HTTP."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from django.conf import settings

from config.api.endpoints import imports
from memory.tenants.types import Scope
from memory.types import TenantRef
from tests.caller import make_caller
from tests.imports import carry_out
from tests.scripted_model import ScriptedModel
from unde_memory import AsyncMemory, Memory
from unde_memory.errors import BadRequest, IdTaken, InvalidKey, MissingScope, OtherUser, Unreachable, UserNotFound
from unde_memory.saying import store_said

CLIENT = Path(__file__).resolve().parents[2] / "clients" / "python"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def key(tenant: TenantRef) -> str:
    return make_caller(tenant).client.defaults["HTTP_AUTHORIZATION"].removeprefix("Bearer ")


@pytest.fixture
def memory(live_server: Any, key: str) -> Memory:
    return Memory(url=live_server.url, api_key=key)


def test_the_lines_of_the_readme_work_as_pasted(live_server: Any, key: str, capsys: pytest.CaptureFixture) -> None:
    text = (CLIENT / "README.md").read_text(encoding="utf-8")
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ") and "pip install" not in line]
    program = "\n".join(lines).replace("http://127.0.0.1:8000", live_server.url)
    exec(compile(program, "README.md", "exec"), {"KEY": key})
    assert "('body_params', 'M')" in capsys.readouterr().out


def test_a_conversation_is_added_found_forgotten_and_exported(memory: Memory) -> None:
    layla = memory.user("layla/ليلى")
    stored = layla.add("I am allergic to nickel", conversation="c", id="m-1")
    assert stored.facts[0].value == "nickel"
    assert layla.add("I am allergic to nickel", conversation="c", id="m-1").id == stored.id
    assert (
        len(layla.add_all([{"role": "assistant", "content": "Noted."}, {"role": "user", "content": "hi"}]).results) == 2
    )
    assert layla.search("allergic").results[0].message_id == stored.id
    pack = layla.context("what am I allergic to?", conversation="c")
    assert pack.facts[0].value == "nickel" and pack.to_openai()[-1]["role"] == "user"
    assert [message.content for message in layla.messages("c")] == ["I am allergic to nickel"]
    assert {line["kind"] for line in memory.export("layla/ليلى")} >= {"message", "fact"}
    planned = layla.forget("nickel", dry_run=True)
    assert planned.plan_id and layla.facts()
    assert layla.forget("nickel").batch_id and layla.facts() == []


def test_a_session_names_the_pack_behind_a_reply(memory: Memory) -> None:
    session = memory.session("layla", "c")
    session.add("my size is M")
    pack = session.context("what size?")
    session.add("You are an M.", role="assistant")
    assert session.messages()[-1].receipt_id == pack.receipt_id


def test_items_are_kept_for_the_user_that_the_client_names(memory: Memory) -> None:
    items = memory.user("layla").items()
    items.put_item(namespace=["notes"], key="k", value={"text": "black boots"})
    found = items.get_item(namespace="notes", key="k")
    assert found is not None and found.value == {"text": "black boots"}
    assert items.get_item(namespace="notes", key="none") is None
    assert items.search_items(query="boots").items[0].key == "k"


def test_a_message_of_an_adapter_that_is_refused_is_logged_and_keeps_back_no_other(
    memory: Memory, caplog: pytest.LogCaptureFixture
) -> None:
    place = {"user_id": "layla", "conversation_id": "c"}
    rows = [{**place, "id": f"m-{number}", "role": "user", "content": f"word {number}"} for number in range(3)]
    rows[1]["content"] = "word " * 40_001
    with caplog.at_level(logging.WARNING, logger="unde_memory"):
        answers = store_said(memory, rows)
    assert ["error" in answer for answer in answers] == [False, True, False]
    assert [record.getMessage() for record in caplog.records] == ["message m-1 was refused: invalid_request"]
    assert len(memory.user("layla").messages()) == 2


def test_a_refusal_is_the_exception_of_its_code(memory: Memory, live_server: Any, tenant: TenantRef) -> None:
    with pytest.raises(UserNotFound) as refused:
        memory.list_facts("nobody")
    assert (refused.value.status, refused.value.code) == (404, "user_not_found")
    with pytest.raises(InvalidKey):
        Memory(url=live_server.url, api_key="unde_no").user("u").add("hi")
    bobs = Memory(url=live_server.url, api_key=memory.make_key("bob").key)
    with pytest.raises(OtherUser):
        bobs.user("layla").add("hi")
    reader = make_caller(tenant, Scope.READ).client.defaults["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
    with pytest.raises(MissingScope):
        Memory(url=live_server.url, api_key=reader).user("u").add("hi")
    with pytest.raises(Unreachable):
        Memory(url="http://127.0.0.1:9", api_key="k", retries=0).user("u").add("hi")
    with pytest.raises(BadRequest) as halved:
        memory.user("u").add("half \ud83d")
    assert halved.value.code == "invalid_request" and halved.value.__cause__ is None


def test_a_write_is_sent_again_under_the_same_id_and_stored_once(
    live_server: Any, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unde_memory.transport.FIRST_PAUSE", 0.0)
    sent: list[bytes] = []

    class LosesAnswers(httpx.HTTPTransport):
        """The first answer of each request is lost on its way back; the next is a 503."""

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            sent.append(request.read())
            if len(sent) == 2:
                return httpx.Response(503, json={"code": "user_busy", "message": "m"}, headers={"Retry-After": "0"})
            response = super().handle_request(request)
            if len(sent) == 1:
                response.read()
                raise httpx.ReadError("lost")
            return response

    memory = Memory(url=live_server.url, api_key=key, http=httpx.Client(transport=LosesAnswers()))
    memory.user("layla").add("my size is M")
    assert len(sent) == 3 and len(set(sent)) == 1
    assert len(memory.user("layla").messages()) == 1


def test_the_client_over_asyncio_does_the_same(live_server: Any, key: str) -> None:
    async def talk() -> tuple[Any, ...]:
        async with AsyncMemory(url=live_server.url, api_key=key) as memory:
            layla = memory.user("layla")
            await layla.add("my size is M", conversation="c")
            pack = await memory.session("layla", "c").context("what size?")
            lines = [line["kind"] async for line in memory.export("layla")]
            return (await layla.facts())[0].value, pack.facts[0].value, "message" in lines

    assert asyncio.run(talk()) == ("M", "M", True)


def test_a_reply_is_read_while_it_is_made_by_both_clients(
    memory: Memory, live_server: Any, key: str, scripted_model: Callable[..., ScriptedModel], settings: Any
) -> None:
    model = scripted_model("One two.", "Three.")
    settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL = model.url, f"scripted-{id(model)}"
    asked = {"user_id": "layla", "conversation_id": "c", "message": "Where were we?"}
    events = list(memory.stream_chat(**asked, id="m-1"))
    assert [event.kind for event in events] == ["receipt", "delta", "delta", "reply"]
    assert memory.chat(**asked, id="m-1").reply == "One two."

    faults: list[Any] = []

    async def read() -> list[str]:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: faults.append(context))
        async with AsyncMemory(url=live_server.url, api_key=key) as other:
            return [event.text async for event in other.stream_chat(**asked, id="m-2")]

    assert asyncio.run(read()) == ["", "Three.", ""]
    assert faults == []  # of a stream that was left open behind its last event


def test_a_stream_that_breaks_is_taken_up_where_it_was(
    live_server: Any, key: str, scripted_model: Callable[..., ScriptedModel], settings: Any
) -> None:
    model = scripted_model("One two three.")
    settings.UNDE_LLM_URL, settings.UNDE_LLM_MODEL = model.url, f"scripted-{id(model)}"
    broken = BreakingTransport(after=b" two")
    with Memory(url=live_server.url, api_key=key, http=httpx.Client(transport=broken)) as memory:
        events = list(memory.stream_chat(user_id="layla", conversation_id="c", message="Where were we?"))
    assert "".join(event.text for event in events) == "One two three."
    assert [event.offset for event in events if event.kind == "receipt"] == [0, len("One two")]
    assert len(model.requests) == 1


class BreakingTransport(httpx.HTTPTransport):
    """A network that breaks once, behind some bytes of an answer."""

    def __init__(self, *, after: bytes) -> None:
        super().__init__()
        self._after: bytes | None = after

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if self._after is not None:
            response.stream = BreakingStream(response.stream, self._after)
            self._after = None
        return response


class BreakingStream(httpx.SyncByteStream):
    """The bytes of an answer up to some, and then none."""

    def __init__(self, stream: Any, after: bytes) -> None:
        self._stream, self._after = stream, after

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._stream:
            at = piece.find(self._after)
            if at >= 0:
                end = piece.find(b"\n\n", at)  # a busy server sends several events in one piece
                yield piece if end < 0 else piece[: end + 2]
                raise httpx.ReadError("gone")
            yield piece

    def close(self) -> None:
        self._stream.close()


def test_a_file_is_taken_at_once_or_waited_for(
    memory: Memory, tenant: TenantRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = b'{"role": "user", "content": "my size is M", "timestamp": "2026-01-01T10:00:00Z"}\n'
    assert memory.import_lines("layla", line, format="jsonl").messages == 1
    started = memory.start_import("mira", line, format="jsonl")
    assert (started.status, started.is_over, started.progress and started.progress.done) == ("pending", False, 0)
    with pytest.raises(TimeoutError):
        memory.wait_for_operation(started.id, timeout=0)
    carry_out(tenant.id)
    done = memory.wait_for_operation(started.id)
    assert done.is_over and done.result and done.result.messages == 1
    # A large one: as if a worker woke up at once.
    monkeypatch.setattr(settings.UNDE_TUNING, "IMPORT_ANSWERED_AT_ONCE", 10)
    monkeypatch.setattr(imports, "wake_worker", lambda: carry_out(tenant.id))
    assert memory.import_lines("nora", line, format="jsonl").messages == 1
    exported = b"\n".join(map(msgspec.json.encode, memory.export("nora")))
    with pytest.raises(IdTaken):
        memory.import_lines("olga", exported)
