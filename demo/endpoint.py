"""A scripted model for the demo: an OpenAI-compatible endpoint on loopback that says what it was shown of memory."""

from __future__ import annotations

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FACT = re.compile(r'<user_memory source="user_knowledge" type="(\w+)" key="(\w+)"[^>]*>([^\n<]+)')


class ScriptedEndpoint:
    """Answers `POST /v1/chat/completions`, as a stream where it is asked for one. Raises OSError for a taken port."""

    def __init__(self, port: int) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                write_answer(self, body)

            def log_message(self, *_: Any) -> None:
                """Nothing: the demo prints what matters."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()


def write_answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """The reply, whole or word by word."""
    text, is_stream = make_reply(body["messages"]), bool(body.get("stream"))
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
    handler.end_headers()
    if not is_stream:
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        handler.wfile.write(json.dumps({"choices": [choice]}).encode())
        return
    for piece in re.findall(r"\s*\S+", text):
        event = {"choices": [{"delta": {"content": piece}, "finish_reason": None}]}
        handler.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
    handler.wfile.write(b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n')


def make_reply(messages: list[dict[str, str]]) -> str:
    """A sentence made of the facts in the prompt: whoever reads it sees what the pack held."""
    shown = "\n".join(message["content"] for message in messages if message["role"] == "system")
    facts = [f"{key} {value.strip()}" if key != value.strip() else key for _, key, value in FACT.findall(shown)]
    return f"I was shown of you: {', '.join(facts)}." if facts else "Hello. I know nothing of you yet."
