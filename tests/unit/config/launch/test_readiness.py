import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from config.launch.readiness import Readiness
from config.launch.services import Options


class _Answers(BaseHTTPRequestHandler):
    """A web process that says what the test wants: status by path, and remembers the Host header."""

    statuses: dict[str, int]
    hosts: list[str]

    def do_GET(self) -> None:
        self.hosts.append(self.headers["Host"])
        self.send_response(self.statuses[self.path])
        self.end_headers()
        self.wfile.write(b'{"reasons": ["migrations: 3 to apply"]}')

    def log_message(self, *arguments: object) -> None:
        """Say nothing on the terminal."""


@pytest.fixture
def answers() -> Iterator[type[_Answers]]:
    """A server on a free port, reached through the options of `_make_readiness`."""
    handler = type("Answers", (_Answers,), {"statuses": {"/healthz": 200, "/readyz": 200}, "hosts": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    handler.port = server.server_port  # type: ignore[attr-defined]
    yield handler
    server.shutdown()
    server.server_close()


def test_a_web_process_that_is_not_ready_says_why(answers: type[_Answers]) -> None:
    answers.statuses["/readyz"] = 503
    readiness = _make_readiness(answers)
    assert not readiness.is_complete()
    assert "/readyz (status 503)" in readiness.missing
    assert "migrations: 3 to apply" in readiness.missing


def test_without_a_worker_the_service_is_not_ready(answers: type[_Answers]) -> None:
    readiness = _make_readiness(answers, CELERY_BROKER_URL="memory://")
    assert not readiness.is_complete()
    assert (readiness.has_web, readiness.missing) == (True, "a worker")


def test_the_service_is_asked_under_a_name_that_it_accepts(answers: type[_Answers]) -> None:
    answers.statuses["/readyz"] = 503
    _make_readiness(answers, ALLOWED_HOSTS=".memory.example.com,other").is_complete()
    assert set(answers.hosts) == {"memory.example.com"}


def test_nobody_listening_is_said_as_such() -> None:
    options = Options(host="127.0.0.1", port=9, web_workers=1, task_workers=1, has_console_logs=False)
    readiness = Readiness(options, {})
    assert not readiness.is_complete()
    assert readiness.missing == "/healthz (status none)"


def _make_readiness(answers: type[_Answers], **environment: str) -> Readiness:
    port = answers.port  # type: ignore[attr-defined]
    options = Options(host="127.0.0.1", port=port, web_workers=1, task_workers=1, has_console_logs=False)
    return Readiness(options, environment)
