"""Processes that hand requests over, as processes."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from config.launch.paths import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="addresses without a file are Linux's")

SERVE = """
import os, sys, time
from config.gate import RequestGate
from config.relay import Relay

def work(environ, start_response):
    body = environ["wsgi.input"].read()
    if body == b"fail":
        raise ValueError
    if body == b"die":
        os._exit(1)
    start_response("201 Created", [("X-Path", environ["PATH_INFO"]), ("X-Key", environ["HTTP_X_KEY"])])
    return [str(os.getpid()).encode(), b" ", body, b" secret" if "SECRET" in environ else b""]

relay = Relay.join(sys.argv[1])
gate = RequestGate(work, relay=relay)
relay.board.write(int(sys.argv[2]))
print("ready", flush=True)
sys.stdin.read()
"""
ASK = """
import sys
from config.relay import Relay

relay = Relay.join(sys.argv[1])
environ = {"PATH_INFO": "/v1/search", "HTTP_X_KEY": "k", "SECRET": "s", "wsgi.multithread": True}
for body in sys.argv[2:]:
    print(relay.hand_over(environ, body.encode(), length=1))
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


@contextmanager
def serving(folder: Path, *, busy: int = 0) -> Iterator[int]:
    process = start(SERVE, folder, busy)
    assert process.stdout and process.stdout.readline() == "ready\n"
    yield process.pid
    process.communicate()


def ask(folder: Path, *bodies: str) -> list[str]:
    return start(ASK, folder, *bodies).communicate(timeout=30)[0].splitlines()


def test_an_idle_sibling_does_what_is_handed_over_and_sees_the_request_alone(tmp_path: Path) -> None:
    with serving(tmp_path) as sibling, serving(tmp_path, busy=3):
        answers = ask(tmp_path, "hello", "again")
    head = "('201 Created', [('X-Path', '/v1/search'), ('X-Key', 'k')]"
    assert answers == [f"{head}, b'{sibling} {body}')" for body in ("hello", "again")]


def test_what_a_sibling_cannot_do_is_left_to_the_one_who_asked(tmp_path: Path) -> None:
    with serving(tmp_path, busy=1):
        assert ask(tmp_path, "hello") == ["None"]  # as busy as we are
    with serving(tmp_path) as sibling:
        answers = ask(tmp_path, "fail", "hello", "die", "hello")
    assert answers[0] == answers[2] == answers[3] == "None"
    assert f"b'{sibling} hello'" in answers[1]
    assert ask(tmp_path, "hello") == ["None"]  # its row is there, it is not


def test_there_is_no_relay_without_a_folder_to_share(tmp_path: Path) -> None:
    from config.relay import Relay

    assert Relay.join(None) is None
    assert Relay.join(str(tmp_path / "missing")) is None
