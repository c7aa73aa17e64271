"""An OpenAI-compatible embedder over real HTTP on loopback that is as slow, as broken or as good as it is told to be."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from retrieval.embedding.hashed import HashedEmbedder
from retrieval.embedding.providers import build_provider
from retrieval.embedding.types import EmbeddingProvider


class ScriptedEmbedder:
    """The server. `delay_seconds` before an answer, `trickle_seconds` between its bytes, `answer` instead of vectors.

    `status`, `headers`, `delay_seconds` and `refused` (texts that hold it are answered with 400) may be changed later.
    """

    def __init__(
        self,
        *,
        delay_seconds: float = 0.0,
        trickle_seconds: float = 0.0,
        status: int = 200,
        answer: Any = None,
        refused: str = "",
        port: int = 0,
    ) -> None:
        self.dimensions = 64
        self.requests = 0
        self.status, self.delay_seconds, self.refused = status, delay_seconds, refused
        self.headers: dict[str, str] = {}
        own = HashedEmbedder(dimensions=self.dimensions)
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                server.requests += 1
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                time.sleep(server.delay_seconds)
                vectors = own.embed_documents(body["input"])
                data = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
                sent = json.dumps({"data": data} if answer is None else answer).encode()
                try:
                    is_refused = server.refused and any(server.refused in text for text in body["input"])
                    self.send_response(400 if is_refused else server.status)
                    for name, value in server.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(sent)))
                    self.end_headers()
                    for start in range(0, len(sent), 1 if trickle_seconds else len(sent)):
                        self.wfile.write(sent[start : start + (1 if trickle_seconds else len(sent))])
                        self.wfile.flush()
                        time.sleep(trickle_seconds)
                except OSError:
                    pass  # the client has given up, as it should

            def log_message(self, *_: Any) -> None:
                """Nothing: tests read what they need."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self._server.server_port
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def make_config(self, **more: Any) -> dict[str, Any]:
        """What UNDE_EMBEDDING says for this endpoint."""
        url = f"http://127.0.0.1:{self.port}/v1"
        fields = {"provider": "openai_compatible", "base_url": url, "model": "scripted", "dimensions": self.dimensions}
        return {**fields, **more}

    def make_provider(self, **more: Any) -> EmbeddingProvider:
        """A provider of this endpoint."""
        return build_provider(self.make_config(**more))

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def scripted_embedder() -> Iterator[Callable[..., ScriptedEmbedder]]:
    """Makes embedders; all of them stop with the test."""
    made: list[ScriptedEmbedder] = []

    def make(**script: Any) -> ScriptedEmbedder:
        made.append(ScriptedEmbedder(**script))
        return made[-1]

    yield make
    for embedder in made:
        embedder.stop()
