import os
import sys
import time
from pathlib import Path

import pytest

from config.launch import supervisor as module
from config.launch.errors import LaunchError
from config.launch.places import Places
from config.launch.processes import Command
from config.launch.servers import Servers, Wanted
from config.launch.supervisor import MOST_QUICK_DEATHS, Patience, Service, Supervisor


def test_pauses_double_while_deaths_are_quick_and_start_over_after_a_long_life() -> None:
    patience, pauses = Patience(), []
    for _ in range(3):
        patience.note_death(lived=1.0, now=100.0)
        pauses.append((patience.restart_at or 0) - 100.0)
    patience.note_death(lived=3600.0, now=100.0)
    assert pauses == [0.25, 0.5, 1.0]
    assert (patience.restart_at, patience.quick_deaths) == (100.25, 1)


def test_patience_ends_with_five_quick_deaths_in_a_row() -> None:
    patience = Patience()
    for count in range(1, MOST_QUICK_DEATHS + 1):
        assert not patience.is_over
        patience.note_death(lived=0.1, now=float(count))
    assert patience.is_over


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


def test_a_service_that_cannot_live_ends_the_watch_with_the_end_of_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LONGEST_PAUSE_SECONDS", 0.01)
    watched = _watch_program(tmp_path, "import sys; sys.exit('no such setting')")
    watched.start_services()
    with pytest.raises(LaunchError, match="web ended 5 times in a row") as caught:
        _watch_until(watched, lambda: False)
    assert "no such setting" in str(caught.value)


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
    places = Places(data=folder, state=folder, run=folder, account=None)
    command = Command(arguments=[sys.executable, "-c", program], environment=dict(os.environ))
    service = Service(name="web", command=command, log=folder / "web.log", stop_seconds=5.0)
    return Supervisor(Servers(places, Wanted(postgres=False, valkey=False)), [service])


def _watch_until(watched: Supervisor, condition) -> list[str]:  # type: ignore[no-untyped-def]
    told: list[str] = []
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        told += watched.watch()
        time.sleep(0.02)
    return told
