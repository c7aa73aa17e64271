"""What is a message of the protocol, and how what is none is refused."""

import json

import pytest

from config.mcp.messages import find_fault

JSON = "application/json"


@pytest.mark.parametrize(
    "data",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}',
    ],
)
def test_a_request_a_notification_and_an_answer_are_messages(data: bytes) -> None:
    assert find_fault(JSON, data) is None


@pytest.mark.parametrize(
    ("kind", "data", "status", "code"),
    [
        ("text/plain", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', 415, -32600),
        (JSON, b'{"jsonrpc":', 400, -32700),
        (JSON, b"", 400, -32700),
        (JSON, b"\xff", 400, -32700),
        (JSON, b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600),
        (JSON, b'"word"', 400, -32600),
        (JSON, b'{"id":1,"method":"ping"}', 400, -32600),
        (JSON, b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600),
        (JSON, b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600),
        (JSON, b'{"jsonrpc":"2.0","id":true,"method":"ping"}', 400, -32600),
        (JSON, b'{"jsonrpc":"2.0","id":1,"method":5}', 400, -32600),
        (JSON, b'{"jsonrpc":"2.0","id":1}', 400, -32600),
        (JSON, b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', 400, -32600),
    ],
)
def test_what_is_none_is_refused_with_the_code_of_the_protocol(kind: str, data: bytes, status: int, code: int) -> None:
    refusal = find_fault(kind, data)
    assert refusal is not None
    body = json.loads(refusal.content)
    assert (refusal.status_code, body["error"]["code"], body["id"]) == (status, code, None)
