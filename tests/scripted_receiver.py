"""A receiver of webhooks over real HTTP on loopback that answers as it is told and keeps what it got."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

LOOPBACK = "127.0.0.0/8"


class ScriptedReceiver:
    """`status` and `headers` are what it answers from now on; `received` are the headers and bodies that came."""

    def __init__(self) -> None:
        self.status = 204
        self.headers: dict[str, str] = {}
        self.received: list[tuple[dict[str, str], bytes]] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/hooks?from=unde"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Answer nobody any more."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver(settings: object) -> Iterator[ScriptedReceiver]:
    """A receiver on loopback, in a network that webhooks may reach."""
    settings.UNDE_WEBHOOK_NETWORKS = [LOOPBACK]  # type: ignore[attr-defined]
    made = ScriptedReceiver()
    yield made
    made.stop()
