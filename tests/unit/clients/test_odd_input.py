"""The Python client with what people give by mistake: it says which argument is wrong, and sends nothing wrong."""

import asyncio
import collections
import math
import types
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import msgspec
import pytest

from config.api.schema import EXAMPLES
from unde_memory import AsyncMemory, Memory
from unde_memory.errors import BadRequest, ModelUnavailable, UndeError, UnexpectedAnswer, Unreachable, UserBusy
from unde_memory.types import Ask

Answer = Callable[[httpx.Request], httpx.Response]


def make_memory(answer: Answer | httpx.Response, **options: Any) -> Any:
    handler = answer if callable(answer) else lambda request: answer
    http = httpx.Client(transport=httpx.MockTransport(handler))
    return Memory(url="http://a.example", api_key="k", http=http, **options)


@pytest.fixture
def sent() -> list[httpx.Request]:
    return []


@pytest.fixture
def memory(sent: list[httpx.Request]) -> Any:
    return make_memory(lambda request: sent.append(request) or httpx.Response(200, json=None))


@pytest.fixture
def examples() -> dict[str, Any]:
    """Answers of the service, by call."""
    return msgspec.json.decode(EXAMPLES.read_bytes())["operations"]


RECURSIVE: dict[str, Any] = {}
RECURSIVE["self"] = RECURSIVE


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("message_id", lambda memory: memory.get_message(None)),
        ("message_id", lambda memory: memory.get_message(uuid.uuid4())),
        ("corpus", lambda memory: memory.delete_corpus("")),
        ("user_id", lambda memory: memory.user("\ud800").facts()),
        ("user_id", lambda memory: list(memory.export(5))),
        ("user", lambda memory: memory.as_user("\ud800").get_item(namespace="n", key="k")),
        ("user", lambda memory: memory.as_user(5).get_item(namespace="n", key="k")),
        ("content", lambda memory: memory.user("u").add(b"abc")),
        ("content", lambda memory: memory.user("u").add(object())),
        ("content", lambda memory: memory.user("u").add("half \ud83d")),
        ("metadata", lambda memory: memory.user("u").add("x", metadata={"a": math.nan})),
        ("metadata", lambda memory: memory.user("u").add("x", metadata=RECURSIVE)),
        ("messages", lambda memory: memory.user("u").add_all([{"role": "user", "content": b"abc"}])),
        ("message", lambda memory: list(memory.stream_chat(user_id="u", conversation_id="c", message=b"abc"))),
        ("limit", lambda memory: memory.list_users(limit=[1, 2])),
        ("after", lambda memory: memory.list_users(after="\ud800")),
        ("idempotency_key", lambda memory: memory.put_facts("u", [], idempotency_key="a\nb")),
        ("idempotency_key", lambda memory: memory.put_facts("u", [], idempotency_key="ключ")),
        ("idempotency_key", lambda memory: memory.put_facts("u", [], idempotency_key=5)),
    ],
)
def test_what_cannot_be_sent_is_refused_by_the_name_of_the_argument(
    memory: Any, sent: list[httpx.Request], field: str, call: Callable[[Any], object]
) -> None:
    with pytest.raises(BadRequest) as refused:
        call(memory)
    assert (list(refused.value.fields), sent) == ([field], [])
    assert refused.value.code == "invalid_request" and refused.value.__cause__ is None
    assert "abc" not in str(refused.value) and "\ud83d" not in str(refused.value)


def test_an_id_is_one_step_of_a_path_whatever_is_in_it(memory: Any, sent: list[httpx.Request]) -> None:
    for user in ("..", ".", "a/../b", "ليلى", "a%2Fb"):
        memory.request("GET", "/v1/x")
        with pytest.raises(UnexpectedAnswer):  # null is no page
            memory.user(user).facts()
    paths = [request.url.raw_path.split(b"/")[3].decode() for request in sent[1::2]]
    assert paths == ["%2E%2E", "%2E", "a%2F..%2Fb", "%D9%84%D9%8A%D9%84%D9%89", "a%252Fb"]


def test_the_user_of_kept_items_is_named_in_ascii(memory: Any, sent: list[httpx.Request]) -> None:
    for user in ("u-1", "a b", "ليلى", " a", "a\n", "UTF-8''a"):
        assert memory.as_user(user).get_item(namespace="n", key="k") is None
    named = [request.headers.raw[-1] for request in sent]
    assert {name for name, _ in named} == {b"X-UNDE-User"}
    rare = ["UTF-8''%D9%84%D9%8A%D9%84%D9%89", "UTF-8''%20a", "UTF-8''a%0A", "UTF-8''UTF-8%27%27a"]
    assert [value.decode() for _, value in named] == ["u-1", "a b", *rare]


def test_anything_that_is_a_list_or_a_mapping_is_sent_as_one(memory: Any, sent: list[httpx.Request]) -> None:
    documents = collections.deque([types.MappingProxyType({"id": "d", "text": "t", "tags": frozenset({"a"})})])
    with pytest.raises(UnexpectedAnswer):
        memory.ingest("c", documents=documents)
    assert msgspec.json.decode(sent[0].content) == {"documents": [{"id": "d", "text": "t", "tags": ["a"]}]}


def test_a_batch_is_sent_again_under_the_same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unde_memory.transport.FIRST_PAUSE", 0.0)
    bodies: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bodies.append(request.content)
        return httpx.Response(200, json={"results": []}) if len(bodies) > 1 else httpx.Response(503)

    make_memory(answer).add_messages([{"content": "a"}, {"content": "b", "id": None}, {"content": "c", "id": "own"}])
    assert len(bodies) == 2 and bodies[0] == bodies[1]
    ids = [one["id"] for one in msgspec.json.decode(bodies[0])["messages"]]
    assert ids[2] == "own" and len(set(ids)) == 3 and None not in ids


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(301, headers={"Location": "https://a.example"}),
        httpx.Response(302, content=b"<html>"),
        httpx.Response(200, content=b"<html>"),
    ],
)
def test_an_answer_of_something_else_is_never_taken_for_success(answer: httpx.Response) -> None:
    memory = make_memory(answer)
    with pytest.raises(UnexpectedAnswer):
        memory.put_item(namespace=["n"], key="k", value={})
    with pytest.raises(UnexpectedAnswer):
        list(memory.export("u"))


def test_an_answer_without_what_was_asked_for_is_none(memory: Any) -> None:
    with pytest.raises(UnexpectedAnswer):
        make_memory(httpx.Response(200)).get_fact("f")
    assert make_memory(httpx.Response(204)).delete_corpus("c") is None


class Broken(httpx.SyncByteStream):
    """A line, a half of the next, and then nothing."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    def __iter__(self) -> Iterator[bytes]:
        yield b'{"kind": "user"}\n{"kind": "mess'
        if self._error:
            raise self._error


def test_an_export_that_breaks_is_an_error_of_the_client() -> None:
    for error, raised in ((httpx.ReadError("gone"), Unreachable), (None, UnexpectedAnswer)):
        lines = make_memory(httpx.Response(200, stream=Broken(error))).export("u")
        assert next(lines) == {"kind": "user"}
        with pytest.raises(raised):
            next(lines)


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000", "ftp://a.example", "http://", "http://a:b", "http://a?b", "http://a#b", "memory"]
)
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="url must be like http"):
        Memory(url=url, api_key="k")


def test_a_key_with_the_end_of_its_line_works_and_one_that_no_header_can_carry_is_refused_unsaid() -> None:
    memory: Any = Memory(url=" http://a.example/v1/\n", api_key="unde_1\n")
    assert memory.url == "http://a.example" and memory._headers["Authorization"] == "Bearer unde_1"
    for key in ("ключ", "a\nb", "a b", b"abc"):
        with pytest.raises(ValueError, match="api_key must be") as refused:
            Memory(url="http://a.example", api_key=key)  # type: ignore[arg-type]
        assert str(key) not in str(refused.value) and refused.value.__cause__ is None
    assert "unde_1" not in repr(memory)


def test_no_argument_is_waited_for_where_nothing_can_come_of_it(memory: Any) -> None:
    closed = Memory(url="http://127.0.0.1:9", api_key="k")
    closed.close()
    with pytest.raises(RuntimeError, match="closed"):
        closed.user("u").add("x")
    with pytest.raises(Unreachable):
        Memory(url="http://127.0.0.1:9", api_key="k", retries=-1).user("u").add("x")


def test_a_request_that_is_cancelled_leaves_the_client_as_it_was() -> None:
    async def talk() -> list[Any]:
        started = asyncio.Event()

        async def answer(request: httpx.Request) -> httpx.Response:
            if not started.is_set():
                started.set()
                await asyncio.sleep(60)
            return httpx.Response(200, json={"results": []})

        http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        async with AsyncMemory(url="http://a.example", api_key="k", http=http) as memory:
            waiting = asyncio.create_task(memory.user("u").facts())
            await started.wait()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            return await memory.user("u").facts()

    assert asyncio.run(talk()) == []


def test_a_reply_that_could_not_be_stored_still_names_its_pack_when_it_is_added_again(examples: dict[str, Any]) -> None:
    bodies: list[dict[str, Any]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/context":
            return httpx.Response(200, json=examples["POST /v1/context"]["answer"])
        bodies.append(msgspec.json.decode(request.content))
        if len(bodies) == 1:
            return httpx.Response(503, json={"code": "user_busy", "message": "m"})
        return httpx.Response(201, json=examples["POST /v1/messages"]["answer"])

    session = make_memory(answer, retries=0).session("u", "c")
    pack = session.context("what?")
    with pytest.raises(UserBusy):
        session.add("A reply.", role="assistant")
    session.add("A reply.", role="assistant")
    session.add("Another.", role="assistant")
    assert [body.get("receipt_id") for body in bodies] == [pack.receipt_id, pack.receipt_id, None]


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(503, headers={"Retry-After": "nan"}, json={"code": "user_busy", "message": "m"}),
        httpx.Response(502, content=b'{"code": "\xff", "message": "m"}'),
        httpx.Response(429, headers={"Retry-After": "-5"}, content=b"[]"),
        httpx.Response(504, headers={"Retry-After": "Sat, 28 Nov 2026 10:00:00 GMT"}),
    ],
)
def test_a_broken_refusal_is_an_error_of_the_client(answer: httpx.Response, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unde_memory.transport.FIRST_PAUSE", 0.0)
    with pytest.raises(UndeError) as refused:
        make_memory(answer, retries=1).get_fact("f")
    assert refused.value.status == answer.status_code and not math.isnan(refused.value.retry_after or 0.0)


def test_an_answer_that_cannot_be_unpacked_is_an_error_of_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unde_memory.transport.FIRST_PAUSE", 0.0)
    zipped = {"Content-Encoding": "gzip"}
    memory = make_memory(lambda request: httpx.Response(200, headers=zipped, stream=Broken(None)))
    with pytest.raises(UndeError):
        memory.get_fact("f")
    with pytest.raises(UndeError):
        list(memory.export("u"))


def test_what_ends_a_line_in_a_message_ends_none_of_a_stream() -> None:
    said = "one\u2028two\x85three\x0bfour\x1cfive"
    lines = msgspec.json.encode({"text": said}) + b"\n\n" + msgspec.json.encode({"text": "last"})
    pieces = [lines[at : at + 5] for at in range(0, len(lines), 5)]
    memory = make_memory(lambda request: httpx.Response(200, content=iter(pieces)))
    assert [line["text"] for line in memory.export("u")] == [said, "last"]
    events = b"event: delta\r\ndata: " + msgspec.json.encode({"text": said, "offset": 0}) + b"\r\n\r\n"
    streaming = make_memory(lambda request: httpx.Response(200, content=events))
    assert next(streaming.stream_chat(user_id="u", conversation_id="c", message="m")).text == said


def test_an_answer_from_a_corpus_is_read_while_it_is_made(examples: dict[str, Any]) -> None:
    whole = msgspec.json.encode(examples["POST /v1/ask"]["answer"])
    delta, answer = b'event: delta\ndata: {"text": "- Rewrote"}\n\n', b"event: answer\ndata: " + whole + b"\n\n"
    asked = {"corpus": "c", "query": "q"}
    sent: list[httpx.Request] = []
    memory = make_memory(lambda request: sent.append(request) or httpx.Response(200, content=delta + answer))
    events = list(memory.stream_ask(**asked, history=["before"]))
    assert [(event.kind, event.text) for event in events] == [("delta", "- Rewrote"), ("answer", "")]
    assert events[1].answer == msgspec.json.decode(whole, type=Ask)
    assert msgspec.json.decode(sent[0].content) == {**asked, "history": ["before"], "stream": True}
    failed = b'event: error\ndata: {"code": "model_unavailable", "message": "m", "fields": {}}\n\n'
    for ending, raised in ((b"", Unreachable), (failed, ModelUnavailable)):
        with pytest.raises(raised):
            list(make_memory(httpx.Response(200, content=delta + ending)).stream_ask(**asked))


def test_what_has_no_method_is_called_by_its_path() -> None:
    sent: list[httpx.Request] = []
    memory = make_memory(lambda request: sent.append(request) or httpx.Response(200, json={"n": 1}))
    assert memory.request("POST", "v1/x", body=[1]) == {"n": 1}
    assert memory.request("GET", "/v1/x", None) is None
    assert [(str(one.url), one.content) for one in sent] == [
        ("http://a.example/v1/x", b"[1]"),
        ("http://a.example/v1/x", b""),
    ]
