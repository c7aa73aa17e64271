import os
import sys
import time
from pathlib import Path

import pytest

from config.launch import supervisor as module
from config.launch.embedded.servers import Servers, Wanted
from config.launch.errors import LaunchError
from config.launch.folders import Folders
from config.launch.processes import Command, start_child
from config.launch.states import MANY_QUICK_DEATHS, ProcessState, read_states
from config.launch.supervisor import LONGEST_PAUSE_SECONDS, QUICK_DEATH_SECONDS, Patience, Service, Supervisor


def test_pauses_double_while_deaths_are_quick_and_start_over_after_a_long_life() -> None:
    patience, pauses = Patience(), []
    for _ in range(3):
        patience.note_death(lived=1.0, now=100.0)
        pauses.append((patience.restart_at or 0) - 100.0)
    patience.note_death(lived=3600.0, now=100.0)
    assert pauses == [0.25, 0.5, 1.0]
    assert (patience.restart_at, patience.quick_deaths) == (100.25, 1)


def test_five_quick_deaths_in_a_row_are_a_crash_loop_and_pauses_grow_up_to_their_cap() -> None:
    patience = Patience()
    for count in range(1, MANY_QUICK_DEATHS + 1):
        assert not patience.is_crash_loop
        patience.note_death(lived=0.1, now=float(count))
    assert patience.is_crash_loop
    for _ in range(5_000):
        patience.note_death(lived=0.1, now=100.0)
    assert patience.restart_at == 100.0 + LONGEST_PAUSE_SECONDS


def test_a_long_life_ends_a_crash_loop() -> None:
    patience = Patience(quick_deaths=7)
    patience.note_life(lived=QUICK_DEATH_SECONDS - 1)
    assert patience.is_crash_loop
    patience.note_life(lived=QUICK_DEATH_SECONDS + 1)
    assert not patience.is_crash_loop


def test_a_service_that_dies_is_started_again(tmp_path: Path) -> None:
    watched = _watch_program(tmp_path, "import time; time.sleep(60)")
    watched.start_services()
    child = watched.services[0].child
    assert child is not None
    child.process.kill()
    child.wait(10)
    told = _watch_until(watched, lambda: watched.services[0].child is not child)
    assert told == ["web ended (code -9) and is started again"]
    assert watched.services[0].child is not None
    assert watched.services[0].child.is_alive()
    watched.stop(is_hurried=True)
    assert not watched.services[0].child.is_alive()


def test_a_service_that_cannot_live_ends_the_start_with_the_end_of_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_PAUSE_SECONDS", 0.01)
    watched = _watch_program(tmp_path, "import sys; sys.exit('no such setting')")
    watched.start_services()
    with pytest.raises(LaunchError, match="web ended 5 times in a row") as caught:
        _watch_until(watched, lambda: False)
    assert "no such setting" in str(caught.value)


def test_after_the_start_a_service_that_cannot_live_is_tried_on_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_PAUSE_SECONDS", 0.01)
    watched = _watch_program(tmp_path, "import sys; sys.exit(3)")
    watched.services.append(_make_service(tmp_path, "worker", "import time; time.sleep(60)"))
    watched.is_starting = False
    watched.start_services()
    worker = watched.services[1].child
    told = _watch_until(watched, lambda: watched.patience["web"].restarts >= 8)
    assert told[0] == "web ended (code 3) and is started again"
    assert told[-1].startswith("web ended 8 times in a row (code 3) and is tried again in ")
    assert watched.services[1].child is worker
    assert worker is not None
    assert worker.is_alive()
    states = read_states(tmp_path)
    assert states["worker"] == ProcessState()
    assert states["web"].is_crash_loop
    assert (states["web"].code, states["web"].restarts >= 7) == (3, True)
    watched.stop(is_hurried=True)


def test_a_pause_says_when_the_next_try_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE_SECONDS", 30.0)
    before = time.time()
    watched = _watch_program(tmp_path, "pass")
    watched.start_services()
    _watch_until(watched, lambda: not read_states(tmp_path)["web"].is_up)
    next_try_at = read_states(tmp_path)["web"].next_try_at
    assert next_try_at is not None
    assert before < next_try_at <= time.time() + 30.1  # written in tenths


def test_a_server_that_does_not_come_back_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_PAUSE_SECONDS", 0.01)
    watched = _watch_program(tmp_path, "import time; time.sleep(60)")
    watched.is_starting = False
    watched.start_services()
    gone = start_child("postgres", watched.services[0].command, output=None)
    gone.process.kill()
    gone.wait(10)
    watched.servers.children["postgres"] = gone
    tries = 0

    def fail(name: str) -> None:
        nonlocal tries
        tries += 1
        raise LaunchError("PostgreSQL does not start.")

    monkeypatch.setattr(watched.servers, "revive", fail)
    told = _watch_until(watched, lambda: tries >= 6)
    assert "PostgreSQL does not start. postgres ended 6 times in a row (code -9)" in told[-2] + told[-1]
    assert watched.services[0].child is not None
    assert watched.services[0].child.is_alive()
    watched.servers.children.clear()
    watched.stop(is_hurried=True)


def test_a_log_that_finds_no_room_aside_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOG_LIMIT", 100)
    watched = _watch_program(tmp_path, "pass")
    (tmp_path / "web.log").write_bytes(b"x" * 150)
    (tmp_path / "web.log.1").symlink_to("/dev/full")
    # The link to a device that is always full stays, so that the copy finds no room.
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: None)
    watched.watch()
    assert (tmp_path / "web.log").read_bytes() == b""


def test_a_long_log_moves_aside_and_its_writer_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOG_LIMIT", 100)
    watched = _watch_program(tmp_path, "pass")
    log = tmp_path / "web.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"x" * 150)
        watched.watch()
        writer.write(b"after")
    assert (tmp_path / "web.log.1").read_bytes() == b"x" * 150
    assert log.read_bytes() == b"after"


def _watch_program(folder: Path, program: str) -> Supervisor:
    places = Folders(data=folder, state=folder, run=folder, account=None)
    service = _make_service(folder, "web", program)
    return Supervisor(Servers(places, Wanted(postgres=False, valkey=False)), [service])


def _make_service(folder: Path, name: str, program: str) -> Service:
    command = Command(arguments=[sys.executable, "-c", program], environment=dict(os.environ))
    return Service(name=name, command=command, log=folder / f"{name}.log", stop_seconds=5.0)


def _watch_until(watched: Supervisor, condition) -> list[str]:  # type: ignore[no-untyped-def]
    told: list[str] = []
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        told += watched.watch()
        time.sleep(0.02)
    return told
