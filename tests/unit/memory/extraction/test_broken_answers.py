"""Answers that are broken on purpose, over real HTTP: each is a completion that can be stored, or a failure with a code."""

import gzip
import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from memory.extraction.model.openai_client import MAX_ANSWER_BYTES, ModelFailed
from memory.extraction.model.prompt import load_template
from memory.extraction.types import Completion, Prompt
from tests.scripted_model import ScriptedModel, Turn

MakeModel = Callable[..., ScriptedModel]


def ask(model: ScriptedModel) -> Completion:
    system, schema = load_template()
    return model.make_client().complete(Prompt("v1", system, "{}", schema))


def make_body(text: str = '"{}"', *, model: str = '"m"', usage: str = "{}") -> bytes:
    """The body of an answer out of pieces of JSON."""
    return f'{{"model": {model}, "choices": [{{"message": {{"content": {text}}}}}], "usage": {usage}}}'.encode()


@pytest.mark.parametrize(
    ("count", "counted"),
    [
        ("12", 12),
        ("12.7", 12),
        ("1e30", 0),
        ("Infinity", 0),
        ("-Infinity", 0),
        ("NaN", 0),
        ("1e999", 0),
        ("-5", 0),
        ('"many"', 0),
        ('"12"', 0),
        ("true", 0),
        ("null", 0),
        ("[1]", 0),
        ("9" * 4000, 0),
    ],
)
def test_tokens_are_what_can_be_counted(count: str, counted: int, scripted_model: MakeModel) -> None:
    usage = f'{{"prompt_tokens": {count}, "completion_tokens": {count}}}'
    completion = ask(scripted_model(Turn(body=make_body(usage=usage))))
    assert (completion.prompt_tokens, completion.completion_tokens) == (counted, counted)


@pytest.mark.parametrize("usage", ["null", "[]", '"a lot"', "5", '{"prompt_tokens": {"a": 1}}'])
def test_usage_that_is_no_object_counts_nothing(usage: str, scripted_model: MakeModel) -> None:
    assert ask(scripted_model(Turn(body=make_body(usage=usage)))).prompt_tokens == 0


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        (r'"deep\ud800seek"', "deep?seek"),
        (r'"a\u0000b\n"', "ab"),
        ('"' + "x" * 500 + '"', "x" * 120),
        ("17", "scripted"),
        ('{"a": 1}', "scripted"),
        ("null", "scripted"),
        (r'"\u0000"', "scripted"),
    ],
)
def test_the_models_name_can_be_stored(name: str, kept: str, scripted_model: MakeModel) -> None:
    assert ask(scripted_model(Turn(body=make_body(model=name)))).model == kept


def test_half_a_character_in_the_text_becomes_one_that_can_be_stored(scripted_model: MakeModel) -> None:
    completion = ask(scripted_model(Turn(body=make_body(r'"a\ud800b\udfff"'))))
    assert completion.text.encode("utf-8") == b"a?b?"


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 500_000,
        b'{"choices":' * 90_000,
        b'{"choices": ' + b"9" * 5_000 + b"}",
        b"\xff\xfe\x00",
        b"",
        b"null",
        b'{"choices": []}',
        b'{"choices": {"0": 1}}',
        b'{"choices": ["text"]}',
        b'{"choices": [{"message": []}]}',
        b'{"choices": [{"message": {"content": null}}]}',
        b'{"choices": [{"message": {"content": {"operations": []}}}]}',
    ],
)
def test_a_body_that_is_no_answer_is_a_failure_with_a_code(body: bytes, scripted_model: MakeModel) -> None:
    with pytest.raises(ModelFailed) as failed:
        ask(scripted_model(Turn(body=body)))
    assert failed.value.code == "model_answer_malformed"


def test_of_two_keys_the_last_one_counts(scripted_model: MakeModel) -> None:
    body = b'{"choices": 1, "choices": [{"message": {"content": "a", "content": "b"}}]}'
    assert ask(scripted_model(Turn(body=body))).text == "b"


def test_gzip_in_gzip_takes_no_more_memory_than_an_answer_may(scripted_model: MakeModel) -> None:
    body = gzip.compress(gzip.compress(bytes(200_000_000)))
    model = scripted_model(Turn(body=body, headers={"Content-Encoding": "gzip, gzip"}))
    tracemalloc.start()
    with pytest.raises(ModelFailed) as failed:
        ask(model)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert failed.value.code == "answer_too_long"
    assert peak < 10 * MAX_ANSWER_BYTES


def test_a_packed_answer_is_read(scripted_model: MakeModel) -> None:
    body = gzip.compress(make_body('"hello"'))
    assert ask(scripted_model(Turn(body=body, headers={"Content-Encoding": "gzip"}))).text == "hello"


@pytest.mark.parametrize("wait", ["\xb2", "1e5", "-1", "nan"])
def test_a_wait_that_is_no_number_of_seconds_is_not_asked_for(wait: str, scripted_model: MakeModel) -> None:
    content: dict[str, Any] = {"operations": []}
    model = scripted_model(Turn(status=429, headers={"Retry-After": wait}), content)
    assert json.loads(ask(model).text) == content
