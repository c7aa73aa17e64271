"""Processes that hand requests over, as processes."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from config import relay as relay_module
from config.launch.paths import ROOT
from config.relay import Board, Relay

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
gate = RequestGate(work, relay=relay, working=int(sys.argv[3]))
relay.board.write(int(sys.argv[2]))
print("ready", flush=True)
sys.stdin.read()
"""
# What is answered, then how many siblings are left alone and how many connections are kept.
ASK = """
import sys
from pathlib import Path
from config.relay import Relay

relay = Relay(Path(sys.argv[1]), patience=float(sys.argv[2]))
environ = {"PATH_INFO": "/v1/search", "HTTP_X_KEY": "k", "SECRET": "s", "wsgi.multithread": True}
for body in sys.argv[3:]:
    if body == "later":
        relay._alone_until = dict.fromkeys(relay._alone_until, 0.0)
        continue
    print(relay.hand_over(environ, body.encode(), length=1))
print(len(relay._alone_until), sum(map(len, relay._idle.values())))
"""
# Through the gate: while it works on a first search, a second one comes.
ASK_GATE = """
import os, sys, threading
from io import BytesIO
from pathlib import Path
from config.gate import RequestGate
from config.relay import Relay

is_in, may_end = threading.Event(), threading.Event()

def work(environ, start_response):
    body = environ["wsgi.input"].read()
    if body == b"first":
        is_in.set()
        assert may_end.wait(30)
    start_response("200 OK", [])
    return [b"here ", body]

def call(body):
    environ = {"PATH_INFO": "/v1/search", "HTTP_X_KEY": "k", "CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body)}
    said = []
    answer = b"".join(gate(environ, lambda status, headers: said.extend((status, headers))))
    print(*said, answer, flush=True)

gate = RequestGate(work, relay=Relay(Path(sys.argv[1]), patience=10))
first = threading.Thread(target=call, args=(b"first",))
first.start()
assert is_in.wait(30)
call(b"second")
may_end.set()
first.join()
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )


@contextmanager
def serving(folder: Path, *, busy: int = 0, working: int = 4) -> Iterator[int]:
    process = start(SERVE, folder, busy, working)
    try:
        assert process.stdout and process.stdout.readline() == "ready\n"
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def run(script: str, *arguments: object) -> list[str]:
    process = start(script, *arguments)
    try:
        return process.communicate(timeout=60)[0].splitlines()
    finally:
        process.kill()
        process.wait()


def ask(folder: Path, *bodies: str, patience: float = 10) -> list[str]:
    return run(ASK, folder, patience, *bodies)


def test_an_idle_sibling_does_what_is_handed_over_and_sees_the_request_alone(tmp_path: Path) -> None:
    with serving(tmp_path) as sibling, serving(tmp_path, busy=3):
        *answers, kept = ask(tmp_path, "hello", "again")
    head = "('201 Created', [('X-Path', '/v1/search'), ('X-Key', 'k')]"
    assert answers == [f"{head}, b'{sibling} {body}')" for body in ("hello", "again")]
    assert kept == "0 1"


def test_what_a_sibling_cannot_do_is_left_to_the_one_who_asked(tmp_path: Path) -> None:
    with serving(tmp_path, busy=1):
        assert ask(tmp_path, "hello") == ["None", "0 0"]  # as busy as we are
    with serving(tmp_path) as sibling:
        *answers, kept = ask(tmp_path, "fail", "hello", "die", "hello")
    assert answers[0] == answers[2] == answers[3] == "None"
    assert f"b'{sibling} hello'" in answers[1]
    assert kept.endswith(" 0")
    assert ask(tmp_path, "hello") == ["None", "0 0"]  # its row is the next one's


def test_a_sibling_without_a_free_slot_says_so_and_is_asked_again(tmp_path: Path) -> None:
    with serving(tmp_path, working=0):
        assert ask(tmp_path, "hello", "again") == ["None", "None", "0 1"]


def test_a_sibling_that_hangs_is_waited_for_once_and_asked_again_later(tmp_path: Path) -> None:
    with serving(tmp_path) as sibling:
        os.kill(sibling, signal.SIGSTOP)
        assert ask(tmp_path, "hello", "again", patience=0.2) == ["None", "None", "1 0"]
        os.kill(sibling, signal.SIGCONT)
        assert f"b'{sibling} hello'" in ask(tmp_path, "hello")[0]


def test_a_sibling_that_is_gone_hides_none_that_is_there(tmp_path: Path) -> None:
    with serving(tmp_path) as gone, serving(tmp_path) as other:
        os.kill(gone, signal.SIGKILL)
        os.waitid(os.P_PID, gone, os.WEXITED | os.WNOWAIT)
        *answers, kept = ask(tmp_path, "hello", "again", "later", "hello")
    assert [f"b'{other} " in answer for answer in answers] == [True, True, True]
    assert kept == "1 1"


def test_a_gate_with_a_search_of_its_own_hands_the_next_one_to_another_gate(tmp_path: Path) -> None:
    with serving(tmp_path) as sibling:
        answers = run(ASK_GATE, tmp_path)
    assert answers == [
        f"201 Created [('X-Path', '/v1/search'), ('X-Key', 'k')] b'{sibling} second'",
        "200 OK [] b'here first'",
    ]


def test_nobody_sees_a_process_before_it_listens(tmp_path: Path) -> None:
    board = Board(tmp_path / "board")
    board.write(0)
    row = relay_module._ROW.unpack_from(board._memory, board._at)
    board.announce()
    assert row == (os.getpid(), 0, 0)
    assert relay_module._ROW.unpack_from(board._memory, board._at) == (os.getpid(), os.getppid(), 0)


def test_connections_to_who_is_not_on_the_board_are_closed(tmp_path: Path) -> None:
    relay = Relay(tmp_path)
    ours, theirs = socket.socketpair()
    relay._idle[1], relay._alone_until[1] = [ours], 1e12
    assert relay.hand_over({}, b"", length=1) is None
    assert (relay._idle, relay._alone_until, theirs.recv(1)) == ({}, {}, b"")
    theirs.close()


def test_one_who_cannot_be_answered_for_lack_of_a_thread_is_let_go_and_the_next_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = threading.Thread.start
    refused: list[str] = []

    def refuse_once(thread: threading.Thread) -> None:
        if thread.name == "relay-answer" and not refused:
            refused.append(thread.name)
            raise RuntimeError("can't start new thread")
        started(thread)

    def connect() -> socket.socket:
        caller = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        caller.settimeout(10)
        caller.connect(relay.board.name(os.getpid()))
        return caller

    monkeypatch.setattr(threading.Thread, "start", refuse_once)
    relay = Relay(tmp_path)
    relay.serve(lambda environ: None)
    with connect() as first, connect() as second:
        assert first.recv(1) == b""
        request: Any = relay_module._encode(({}, b""))
        second.sendall(relay_module._LENGTH.pack(len(request)) + request)
        assert second.recv(4) == relay_module._LENGTH.pack(0)  # busy


def test_there_is_no_relay_without_a_folder_to_share(tmp_path: Path) -> None:
    assert Relay.join(None) is None
    assert Relay.join(str(tmp_path / "missing")) is None
