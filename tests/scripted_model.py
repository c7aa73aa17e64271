"""A model that says what it is told to, behind the OpenAI-compatible protocol, over real HTTP on loopback.

A script is a list of turns; the last one is repeated. A turn is a string (the answer's content), a dict (operations are
sent as JSON), or a function of the request's body that returns one of them or a `Turn`.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memory.extraction.model.openai_client import Endpoint, OpenAICompatibleClient


@dataclass
class Turn:
    """One answer with everything that may be odd about it."""

    content: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    finish_reason: str = "stop"
    delay_seconds: float = 0.0
    trickle_seconds: float = 0.0
    """Between two bytes of the answer: a model that hangs without being silent."""
    drops: bool = False
    """The connection is closed without an answer."""
    breaks_after: int | None = None
    """Pieces of a stream after which the connection is closed."""
    answers_whole: bool = False
    """An endpoint that knows no streams."""
    waits_for: threading.Event | None = None
    """After the first piece of a stream the rest waits for this."""


Script = Sequence[str | dict[str, Any] | Turn | Callable[[dict[str, Any]], Any]]


class ScriptedModel:
    """The server. `requests` are the bodies it was sent, `keys` the Authorization headers."""

    def __init__(self, *script: Any, path: str = "/v1/chat/completions") -> None:
        self.path = path
        self.script: list[Any] = list(script) or [{"operations": []}]
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self._lock = threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                turn = model.take_turn(self.path, body, self.headers.get("Authorization", ""))
                is_stream = body.get("stream") and turn.status == 200 and turn.body is None
                if is_stream and not (turn.drops or turn.answers_whole):
                    model.stream(self, turn)
                else:
                    model.answer(self, turn)

            def log_message(self, *_: Any) -> None:
                """Nothing: tests read what they need."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        """The base of the API."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def make_client(self, **more: Any) -> OpenAICompatibleClient:
        """A client of this endpoint that does not sleep between its tries."""
        waits: list[float] = []
        fields = {"model": "scripted", "timeout_seconds": 5.0, **more}
        client = OpenAICompatibleClient(Endpoint(url=self.url, **fields), sleep=waits.append, draw=lambda: 0.5)
        client.waits = waits  # type: ignore[attr-defined]
        return client

    def take_turn(self, path: str, body: dict[str, Any], key: str) -> Turn:
        with self._lock:
            self.requests.append(body)
            self.keys.append(key)
            said = self.script[min(len(self.requests), len(self.script)) - 1]
        if path != self.path:
            return Turn(status=404)
        said = said(body) if callable(said) else said
        return said if isinstance(said, Turn) else Turn(content=said)

    def answer(self, handler: BaseHTTPRequestHandler, turn: Turn) -> None:
        time.sleep(turn.delay_seconds)
        if turn.drops:
            handler.close_connection = True
            return
        content = turn.content if isinstance(turn.content, str) else json.dumps(turn.content, ensure_ascii=False)
        completion = {
            "model": "scripted-1",
            "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": turn.finish_reason}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 50},
        }
        data = turn.body if turn.body is not None else json.dumps(completion).encode()
        try:
            handler.send_response(turn.status)
            for name, value in {"Content-Type": "application/json", **turn.headers}.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            step = 1 if turn.trickle_seconds else len(data) or 1
            for start in range(0, len(data), step):
                handler.wfile.write(data[start : start + step])
                handler.wfile.flush()
                time.sleep(turn.trickle_seconds)
        except OSError:
            pass  # the client has given up, as it should

    def stream(self, handler: BaseHTTPRequestHandler, turn: Turn) -> None:
        """The content word by word, as server-sent events."""
        time.sleep(turn.delay_seconds)
        pieces = re.findall(r"\s*\S+\s*$|\s*\S+", turn.content) if isinstance(turn.content, str) else []
        handler.close_connection = True
        try:
            handler.send_response(200)
            handler.send_header("Content-Type", "text/event-stream; charset=utf-8")
            handler.send_header("Connection", "close")
            handler.end_headers()
            for place, piece in enumerate(pieces):
                if place == turn.breaks_after:
                    return
                self._send_event(handler, {"delta": {"content": piece}, "finish_reason": None})
                if place == 0 and turn.waits_for is not None:
                    turn.waits_for.wait(timeout=10)
                time.sleep(turn.trickle_seconds)
            self._send_event(handler, {"delta": {}, "finish_reason": turn.finish_reason})
            handler.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass  # the client has given up, as it should

    def _send_event(self, handler: BaseHTTPRequestHandler, choice: dict[str, Any]) -> None:
        data = json.dumps({"model": "scripted-1", "choices": [choice]}).encode()
        handler.wfile.write(b": still here\n\ndata: " + data + b"\n\n")
        handler.wfile.flush()


def read_material(body: dict[str, Any]) -> dict[str, Any]:
    """What the model was given to read, out of a request's body."""
    material: dict[str, Any] = json.loads(body["messages"][-1]["content"])
    return material


def propose(**fields: Any) -> dict[str, Any]:
    """One operation with everything in it that a test does not care about."""
    return {
        "operation": "ADD",
        "knowledge_type": "allergy",
        "knowledge_key": None,
        "value": None,
        "knowledge_id": None,
        "evidence_message_ids": ["m1"],
        "subject": "user",
        "confidence": 0.95,
        **fields,
    }


@pytest.fixture
def scripted_model() -> Iterator[Callable[..., ScriptedModel]]:
    """Makes models; all of them stop with the test."""
    made: list[ScriptedModel] = []

    def make(*script: Any, **more: Any) -> ScriptedModel:
        made.append(ScriptedModel(*script, **more))
        return made[-1]

    yield make
    for model in made:
        model.stop()
