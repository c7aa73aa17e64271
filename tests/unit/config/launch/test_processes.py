import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from config.launch.processes import MARK, Command, end_process, is_running, list_left_behind, start_child

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
# A launcher in miniature: starts one child, prints its id and waits to be killed.
PARENT = """
import os, sys, time
from config.launch.processes import Command, start_child
child = start_child("x", Command(arguments=[sys.executable, "-c", "import time; time.sleep(60)"],
                                 environment=dict(os.environ)), output=None)
print(child.pid, flush=True)
time.sleep(60)
"""


def test_a_child_ends_with_a_launcher_that_was_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert is_running(child)
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 10
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(child)


def test_a_child_leads_a_group_of_its_own() -> None:
    child = start_child("x", Command(arguments=SLEEP, environment=dict(os.environ)), output=None)
    try:
        assert os.getpgid(child.pid) == child.pid != os.getpgrp()
    finally:
        child.clear_group()
        assert child.wait(10)


def test_a_process_left_behind_is_known_by_its_data_directory(tmp_path: Path) -> None:
    environment = {**os.environ, MARK: str(tmp_path)}
    left = subprocess.Popen(SLEEP, env=environment)
    try:
        _wait_for_program(left.pid)
        assert list_left_behind(tmp_path) == [left.pid]
        assert list_left_behind(tmp_path / "other") == []
    finally:
        left.kill()
        left.wait()
    assert list_left_behind(tmp_path) == []


def test_a_process_that_ignores_the_request_to_end_is_killed() -> None:
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('x', flush=True); time.sleep(60)"
    process = subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    process.stdout.readline()
    assert not end_process(process.pid, number=signal.SIGTERM, seconds=0.3)
    assert process.wait(10) == -signal.SIGKILL


def _wait_for_program(pid: int) -> None:
    # Between fork and exec the child still shows its parent's environment.
    deadline = time.monotonic() + 10
    while b"time.sleep(60)" not in Path(f"/proc/{pid}/cmdline").read_bytes() and time.monotonic() < deadline:
        time.sleep(0.01)
