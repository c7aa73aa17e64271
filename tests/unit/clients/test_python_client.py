"""The Python client says what the published document says: every call, every field, every error code."""

import inspect
import json
import re
import subprocess
import sys
import types
import typing
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import httpx
import msgspec
import pytest

from config.api.schema import EXAMPLES
from tests.contract import list_operations, read_document
from unde_memory.async_client import AsyncMemory
from unde_memory.calling import Call
from unde_memory.errors import BY_CODE, UnexpectedAnswer, make_error
from unde_memory.sync_client import Memory
from unde_memory.types import NewSource, NewStatement, Operation, Pack, ProjectContext
from unde_memory.writing import UNSET

CLIENT = Path(__file__).resolve().parents[3] / "clients" / "python"

OWN_METHODS = {"POST /v1/chat": {"stream"}, "POST /v1/ask": {"stream"}}
"""Fields that choose another method of the client, here `stream_chat` and `stream_ask`."""
RENAMED = {"from": "from_"}
CALLS = {method.operation: method for _, method in inspect.getmembers(AsyncMemory) if hasattr(method, "operation")}


def test_the_client_is_as_small_as_its_page_says() -> None:
    page = (CLIENT / "README.md").read_text(encoding="utf-8")
    said = re.search(
        r"says ([\d,]+) of them: the declarations of (\d+) calls, .+?\. The client itself is the other (\d+)", page
    )
    assert said and int(said[2]) == len(CALLS)
    own = ("__init__.py", "transport.py", "writing.py", "calling.py", "async_*.py")
    assert abs(int(said[1].replace(",", "")) - count_lines("calls/*.py")) < 60
    assert abs(int(said[3]) - count_lines(*own)) < 40


def count_lines(*patterns: str) -> int:
    files = [file for pattern in patterns for file in (CLIENT / "unde_memory").glob(pattern)]
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def resolve(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema behind a reference."""
    while "$ref" in schema:
        schema = read_document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def list_parameters(operation: dict[str, Any]) -> set[str]:
    """What a call takes: of the path, the query and the body."""
    named = {one["name"] for one in operation.get("parameters", ()) if one["in"] != "header"}
    for content in operation.get("requestBody", {}).get("content", {}).values():
        named |= set(resolve(content["schema"]).get("properties", {}))
    return named


def list_faults(kind: Any, schema: dict[str, Any], path: str) -> list[str]:
    """Fields that the document has and the client's type has not."""
    schema = resolve(schema)
    if "anyOf" in schema:
        parts = [one for one in schema["anyOf"] if one != {"type": "null"}]
        return list_faults(kind, parts[0], path) if len(parts) == 1 else []
    kinds = [one for one in typing.get_args(kind) if one is not type(None)] if is_union(kind) else [kind]
    kind = kinds[0]
    if schema.get("type") == "array" and typing.get_origin(kind) is list:
        return list_faults(typing.get_args(kind)[0], schema.get("items", {}), f"{path}[]")
    if "properties" not in schema or kind is Any or typing.get_origin(kind) is dict:
        return []
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    faults = [f"{path}.{name}" for name in schema["properties"] if name not in fields]
    for name, part in schema["properties"].items():
        if name in fields:
            faults += list_faults(fields[name].type, part, f"{path}.{name}")
    return faults


def is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def list_client_operations() -> list[str]:
    """What an app's backend calls.

    `/v1/me` is for the person's browser, whose session no backend has; `/opendsr` for privacy desks, which speak it.
    """
    return [name for name, _ in list_operations() if " /v1/" in name and name.split("/")[2] != "me"]


@pytest.mark.parametrize("name", list_client_operations())
def test_every_call_and_every_field_is_in_the_client(name: str) -> None:
    operation = dict(list_operations())[name]
    assert name in CALLS, "the client has no method for it"
    method = CALLS[name]
    taken = set(inspect.signature(method).parameters)
    assert {RENAMED.get(one, one) for one in list_parameters(operation)} - taken - OWN_METHODS.get(name, set()) == set()
    answered = typing.get_type_hints(method)["return"]
    for status, response in operation["responses"].items():
        media = response.get("content", {}).get("application/json")
        if status < "300" and media is not None:
            is_later = status == "202" and media["schema"].get("$ref", "").endswith("/OperationAnswer")
            assert list_faults(Operation if is_later else answered, media["schema"], "") == []


def test_the_client_over_threads_is_made_from_the_other() -> None:
    made = subprocess.run(
        [sys.executable, "scripts/make_sync.py", "--check"], cwd=CLIENT, capture_output=True, text=True, check=False
    )
    assert (made.returncode, made.stdout) == (0, "")
    names = {name for name in dir(AsyncMemory) if not name.startswith("_")}
    assert {name.replace("aclose", "close") for name in names} == {name for name in dir(Memory) if name[0] != "_"}


@pytest.mark.parametrize("name", [method.__name__ for method in CALLS.values()])
def test_a_declared_call_looks_the_same_in_both_clients_and_names_what_it_sends(name: str) -> None:
    over_threads, over_asyncio = getattr(Memory, name), getattr(AsyncMemory, name)
    assert inspect.signature(over_threads).parameters == inspect.signature(over_asyncio).parameters
    assert over_threads.__doc__ and over_threads.__doc__ == over_asyncio.__doc__
    if any(isinstance(vars(group).get(name), Call) for group in Memory.__mro__):
        assert inspect.iscoroutinefunction(over_asyncio) and not inspect.iscoroutinefunction(over_threads)
        left_out = {one.default for one in inspect.signature(over_threads).parameters.values()}
        assert left_out <= {inspect.Parameter.empty, UNSET, None}  # what is left out is not sent
        assert {*re.findall(r"{(\w+)}", over_threads.operation)} <= {*inspect.signature(over_threads).parameters}


def send(call: Callable[[Memory], object]) -> httpx.Request:
    """The request that a call makes."""
    sent: list[httpx.Request] = []
    transport = httpx.MockTransport(lambda request: sent.append(request) or httpx.Response(204))
    with (
        Memory(url="http://a.example", api_key="k", http=httpx.Client(transport=transport)) as memory,
        suppress(UnexpectedAnswer),
    ):
        call(memory)
    return sent[0]


def test_the_name_of_an_argument_says_where_it_goes() -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    listed = send(lambda memory: memory.list_episodes("a/ж ?", from_=moment, layer=None, limit=3))
    assert listed.url.raw_path == b"/v1/users/a%2F%D0%B6%20%3F/episodes?from=2026-01-02T00%3A00%3A00%2B00%3A00&limit=3"
    assert listed.content == b"" and "Idempotency-Key" not in listed.headers
    erased = send(lambda memory: memory.erase("u", to=None, from_=moment))
    assert json.loads(erased.content) == {"from": "2026-01-02T00:00:00Z", "to": None}
    stated = send(lambda memory: memory.put_facts("u", [], idempotency_key="one"))
    assert (stated.content, stated.headers["Idempotency-Key"]) == (b'{"facts":[]}', "one")
    undone = send(lambda memory: memory.restore_forget("b"))
    assert undone.content == b"" and len(undone.headers["Idempotency-Key"]) == 32
    said = {"user_id": "u", "conversation_id": "c", "role": "user", "content": "hi"}
    assert len(json.loads(send(lambda memory: memory.add_message(**said)).content)["id"]) == 32
    assert json.loads(send(lambda memory: memory.edit_message("m", id=None)).content) == {}


def test_a_client_of_an_app_can_do_a_call_otherwise() -> None:
    class Own(Memory):
        def request(self, *args: Any, **named: Any) -> Any:
            return args

        def get_fact(self, fact_id: str) -> Any:
            return fact_id, super().get_fact(fact_id)

    own: Any = Own(url="http://127.0.0.1:9", api_key="k")
    assert own.get_fact("f") == ("f", ("GET",)) and own.get_message("m") == ("GET",)


def test_a_call_with_a_wrong_name_is_refused_in_python_s_words_before_anything_is_sent() -> None:
    memory: Any = Memory(url="http://127.0.0.1:9", api_key="k")
    with pytest.raises(TypeError, match=r"list_facts\(\) got an unexpected keyword argument 'lmit'"):
        memory.list_facts("u", lmit=3)
    with pytest.raises(TypeError, match=r"context\(\) missing 2 required keyword-only arguments"):
        memory.context(user_id="u")
    with pytest.raises(TypeError, match=r"get_fact\(\) takes 2 positional arguments but 3 were given"):
        memory.get_fact("f", "g")
    mocked = create_autospec(Memory, instance=True)
    assert mocked.get_fact("f") is not None
    with pytest.raises(TypeError):
        mocked.get_fact(lmit=3)
    assert Memory.get_fact.__name__ == "get_fact" and "Every version" in inspect.getdoc(memory.get_history)


def test_every_error_code_has_an_exception_of_its_own() -> None:
    page = (CLIENT.parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d{3}) \| ((?:`[a-z_]+`(?:, )?)+) \|", page, re.MULTILINE)
    codes = {code: int(status) for status, cell in rows for code in re.findall(r"`([a-z_]+)`", cell)}
    assert len(codes) > 40
    for code, status in codes.items():
        assert type(make_error(status=status, code=code, message="m")).code == code
        assert code in BY_CODE
    unknown = make_error(status=409, code="of_tomorrow", message="m")
    assert (type(unknown).__name__, unknown.said_code) == ("Conflict", "of_tomorrow")


def test_a_pack_is_ready_for_both_kinds_of_api() -> None:
    said = [
        ("system", "rules"),
        ("assistant", "hello"),
        ("user", "a"),
        ("user", "b"),
        ("assistant", "c"),
        ("user", "d"),
    ]
    answer = json.loads(EXAMPLES.read_text(encoding="utf-8"))["operations"]["POST /v1/context"]["answer"]
    answer["rendered"] = {"messages": [{"role": role, "content": content} for role, content in said]}
    pack = msgspec.convert(answer, Pack)
    assert pack.to_openai()[0] == {"role": "system", "content": "rules"}
    anthropic = pack.to_anthropic()
    assert anthropic["system"] == "rules\n\nThe assistant said before: hello"
    assert [turn["role"] for turn in anthropic["messages"]] == ["user", "assistant", "user"]
    assert anthropic["messages"][0]["content"] == "a\n\nb"


def list_choices(schema: dict[str, Any]) -> set[Any]:
    """The values that a parameter may have; none where it is free."""
    schema = resolve(schema)
    found = set(schema.get("enum", ()))
    for part in schema.get("anyOf", ()):
        found |= list_choices(part)
    return found - {""}


def list_literals(kind: Any) -> set[Any]:
    if typing.get_origin(kind) is typing.Literal:
        return set(typing.get_args(kind))
    return set().union(*(list_literals(part) for part in typing.get_args(kind)))


@pytest.mark.parametrize("name", list_client_operations())
def test_arguments_are_typed_and_a_choice_of_the_document_is_one_of_the_client(name: str) -> None:
    operation, method = dict(list_operations())[name], CALLS[name]
    hints = typing.get_type_hints(method)
    assert [one for one, kind in hints.items() if kind is Any] == []
    schemas = {one["name"]: one["schema"] for one in operation.get("parameters", ())}
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schemas |= resolve(content["schema"]).get("properties", {})
    for parameter, schema in schemas.items():
        literals = list_literals(hints.get(RENAMED.get(parameter, parameter), str))
        assert not literals or literals == list_choices(schema), parameter


def test_a_project_is_written_and_read_in_types() -> None:
    statement = NewStatement(subject="deadline", value="May", source=NewSource(type="url", ref="https://a.example"))
    assert json.loads(msgspec.json.encode(statement)) == {
        "subject": "deadline",
        "value": "May",
        "source": {"type": "url", "ref": "https://a.example"},
    }
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))["operations"]
    for name, method in CALLS.items():
        if "/projects" in name or "/snapshots" in name or "/decisions" in name:
            read = msgspec.convert(examples[name]["answer"], typing.get_type_hints(method)["return"])
            assert not isinstance(read, dict)
    context = msgspec.convert(examples["POST /v1/projects/{project}/context"]["answer"], ProjectContext)
    assert context.to_openai()[-1]["role"] == "user"
    assert context.to_anthropic()["messages"][-1]["content"] == context.to_openai()[-1]["content"]
