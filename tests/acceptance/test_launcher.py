"""The launcher with real processes: what a person sees, and what survives a kill -9.

An erasure is among it, carried out by the real worker when everything that wakes it was killed. It waits for beat,
so it is asked for before the tests that need no service and looked at behind them.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from config.launch import paths
from config.launch.embedded.keeper import join_servers
from config.launch.folders import make_folders
from tests.acceptance.service_process import (
    ServiceProcess,
    build_environment,
    find_free_port,
    is_gone,
    remove_installation,
    wait_until,
)

pytestmark = pytest.mark.slow

EVERYONE = {"postgres", "valkey", "web", "worker", "beat"}
MESSAGE = {"user_id": "alice", "conversation_id": "c1", "role": "user", "id": "m1", "content": "I wear size S"}


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ServiceProcess]]:
    """Three first starts at once in one folder, which is closed to other accounts; the last is the one that runs.

    With two processes for the web and for tasks each, as a person starts it.
    """
    data = tmp_path_factory.mktemp("service") / "data"
    starts = [ServiceProcess(data, port=find_free_port(), workers=2).start() for _ in range(3)]
    try:
        assert wait_until(lambda: sum(is_running(start) for start in starts) == 1)
        yield sorted(starts, key=is_running)
    finally:
        for start in filter(is_running, starts):
            start.stop()
        remove_installation(data)


@pytest.fixture(scope="module")
def service(starts: list[ServiceProcess]) -> ServiceProcess:
    """The one that runs, ready."""
    return starts[-1].wait_ready()


@pytest.fixture(scope="module")
def erasure_id(service: ServiceProcess) -> str:
    """An erasure of dora that was asked for when worker and broker had just been killed. Beat finds it in a minute."""
    assert service.call("/v1/messages", {**MESSAGE, "user_id": "dora"})[0] == 201
    children = service.list_children()
    for name in ("valkey", "worker"):
        os.kill(children[name], signal.SIGKILL)
    return erase(service, "dora")


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data directory that is not there yet."""
    yield tmp_path / "data"
    remove_installation(tmp_path / "data")


def is_running(service: ServiceProcess) -> bool:
    return service.process is not None and service.process.poll() is None


def erase(service: ServiceProcess, user_id: str) -> str:
    """Ask for the erasure of a user; its id."""
    status, answer = service.call(f"/v1/users/{user_id}/erasure", {"reason": "user_request"})
    assert status == 202, answer
    return str(json.loads(answer)["erasure_id"])


def is_erased(service: ServiceProcess, erasure_id: str) -> bool:
    """Whether the erasure is done and certified."""
    status, answer = service.call(f"/v1/erasures/{erasure_id}")
    return status == 200 and json.loads(answer)["certificate"] is not None


def test_of_three_first_starts_at_once_one_runs(starts: list[ServiceProcess], service: ServiceProcess) -> None:
    for start in starts[:-1]:
        code, said = start.finish()
        assert (code, "Already running" in said) == (1, True), said
    assert is_running(service)


def test_a_first_start_ends_with_one_ready_line_and_everything_answers(service: ServiceProcess) -> None:
    assert service.lines[-1] == f"ready http://127.0.0.1:{service.port}"
    assert sum(line.startswith("ready") for line in service.lines) == 1
    assert set(service.list_children()) == EVERYONE
    for page in ("/healthz", "/readyz", "/admin/login/"):
        assert service.call(page)[0] == 200, page


def test_the_first_password_is_said_once_and_kept_for_its_owner_alone(service: ServiceProcess) -> None:
    said = [line for line in service.lines if line.startswith("First login")]
    assert len(said) == 1
    secrets = [path for path in service.data.rglob("*") if path.is_file() and "log" not in path.parts]
    assert any(path.name == "master_keys" for path in secrets)
    for path in [service.data / "admin-password", *(service.data / "secrets").iterdir()]:
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_message_is_stored_through_the_real_door(service: ServiceProcess) -> None:
    status, body = service.call("/v1/messages", MESSAGE)
    assert status in (200, 201), body


def test_a_second_start_says_already_running(service: ServiceProcess) -> None:
    code, said = ServiceProcess(service.data).start().finish()
    assert code == 1
    assert f"Already running on {service.data}: process {service.pid}" in said


def test_a_taken_port_is_said_before_anything_is_started(service: ServiceProcess, data: Path) -> None:
    code, said = ServiceProcess(data, port=service.port).start().finish()
    assert code == 1
    assert f"Port {service.port}" in said
    assert not (data / "pg").exists()


@pytest.mark.parametrize("name", sorted(EVERYONE))
def test_a_killed_child_comes_back(service: ServiceProcess, name: str) -> None:
    before = service.list_children()[name]
    os.kill(before, signal.SIGKILL)
    assert wait_until(lambda: service.list_children().get(name, before) != before)
    assert wait_until(lambda: service.call("/readyz")[0] == 200, seconds=60)
    assert wait_until(lambda: service.call("/v1/messages", MESSAGE)[0] == 200)


def test_what_was_acknowledged_survives_a_killed_database(service: ServiceProcess) -> None:
    acknowledged = set()
    for number in range(60):
        if number == 20:
            os.kill(service.list_children()["postgres"], signal.SIGKILL)
        name = f"kept-{number}"
        status, _ = service.call("/v1/messages", {**MESSAGE, "user_id": "bob", "id": name, "content": f"line {number}"})
        if status == 201:
            acknowledged.add(name)
    assert len(acknowledged) >= 20
    assert wait_until(lambda: service.call("/readyz")[0] == 200)
    status, body = service.call("/v1/users/bob/messages?limit=100")
    assert status == 200
    assert acknowledged <= {message["client_id"] for message in json.loads(body)["results"]}


def test_a_hangup_raises_the_rules_version_and_stops_nothing(service: ServiceProcess) -> None:
    assert wait_until(lambda: set(service.list_children()) == EVERYONE)
    before = service.list_children()
    os.kill(service.pid, signal.SIGHUP)
    while (line := service.read_line()) != "The rule-set version is raised.":
        assert "failed" not in line, line
    assert service.list_children() == before


def test_a_user_is_erased_within_moments_and_comes_back_as_another(service: ServiceProcess) -> None:
    said = {**MESSAGE, "user_id": "charlie", "created_at": "2026-01-02T10:00:00+04:00"}
    assert service.call("/v1/messages", said)[0] == 201
    erasure_id = erase(service, "charlie")
    assert service.call("/v1/users/charlie/facts")[0] == 404
    assert wait_until(lambda: is_erased(service, erasure_id))
    status, answer = service.call("/v1/messages", said)
    assert (status, json.loads(answer)["code"]) == (409, "erased_period")
    fresh = {**MESSAGE, "user_id": "charlie", "id": "m2", "content": "good to be back"}
    assert service.call("/v1/messages", fresh)[0] == 201
    facts = json.loads(service.call("/v1/users/charlie/facts")[1])
    assert facts["results"] == []


def test_an_erasure_is_taken_while_worker_and_broker_are_dead(service: ServiceProcess, erasure_id: str) -> None:
    assert service.call("/v1/users/dora/facts")[0] == 404


def test_a_command_shares_the_running_servers(service: ServiceProcess) -> None:
    command = [sys.executable, "-P", "-m", "config.launch.manage", "showmigrations", "tenants"]
    ran = subprocess.run(command, env=build_environment(service.data), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "[X] 0001" in ran.stdout


def test_a_first_start_killed_while_the_cluster_is_made_is_no_obstacle(data: Path) -> None:
    first = ServiceProcess(data).start()
    state = make_folders(data).state
    assert wait_until(lambda: any(state.glob("pg.init*/base")), seconds=30)
    os.kill(first.pid, signal.SIGKILL)
    first.finish()
    assert not (state / "pg").exists()
    _assert_database_works(data)


@pytest.mark.parametrize("name", ["long" * 20 + "/" + "path" * 20, "my, память 50%"])
def test_a_long_or_unusual_data_path_works(tmp_path: Path, name: str) -> None:
    data = tmp_path / name / "data"
    try:
        _assert_database_works(data)
        assert len(str(paths.socket_dir(data))) < 80
    finally:
        remove_installation(data)


def test_a_cluster_of_another_postgresql_is_refused_with_a_sentence(data: Path) -> None:
    places = make_folders(data)
    (places.state / "pg").mkdir(exist_ok=True)
    (places.state / "pg" / "PG_VERSION").write_text("15\n")
    code, said = ServiceProcess(data).start().finish()
    assert code == 1
    assert "was made by PostgreSQL 15" in said


def test_a_data_directory_that_cannot_be_made_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, said = ServiceProcess(tmp_path / "file" / "data").start().finish()
    assert code == 1
    assert said.startswith("The data directory")
    assert "Traceback" not in said


@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_a_file_where_the_data_directory_should_be_is_said_as_such(tmp_path: Path, mode: int) -> None:
    (tmp_path / "data").write_text("")
    (tmp_path / "data").chmod(mode)
    code, said = ServiceProcess(tmp_path / "data").start().finish()
    assert code == 1
    assert said == (
        f"The data directory {tmp_path}/data cannot be used: {tmp_path}/data is a file. "
        "Set UNDE_DATA_DIR to a folder, or move the file."
    )


@pytest.mark.parametrize("name", ["server", "test", "manage"])
def test_the_scripts_start_from_any_folder(name: str, tmp_path: Path, data: Path) -> None:
    script = paths.ROOT / "script" / name
    assert os.access(script, os.X_OK)
    ran = subprocess.run(
        [script, "--help"], cwd=tmp_path, env=build_environment(data), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout


def test_an_erasure_survives_the_death_of_worker_and_broker(service: ServiceProcess, erasure_id: str) -> None:
    assert wait_until(lambda: is_erased(service, erasure_id), seconds=180)


def test_a_killed_launcher_takes_its_children_along_and_the_next_start_finds_the_data(service: ServiceProcess) -> None:
    children = service.list_children()
    assert service.call("/v1/messages", MESSAGE)[0] in (200, 201)
    os.kill(service.pid, signal.SIGKILL)
    assert wait_until(lambda: all(is_gone(pid) for pid in children.values()))
    service.finish()
    service.start().wait_ready()
    assert not any(line.startswith("First login") for line in service.lines)
    assert service.call("/v1/messages", MESSAGE)[0] == 200


def test_launcher_and_database_killed_together_leave_nothing_in_the_way(service: ServiceProcess) -> None:
    children = service.list_children()
    for pid in (children["postgres"], children["web"], service.pid):
        os.kill(pid, signal.SIGKILL)
    service.finish()
    service.start().wait_ready()
    assert service.call("/v1/messages", MESSAGE)[0] == 200


def test_a_stop_leaves_no_process_and_ends_with_zero(service: ServiceProcess) -> None:
    children = service.list_children()
    code, said = service.stop()
    assert code == 0, said
    assert said.endswith("Stopped.")
    assert all(is_gone(pid) for pid in children.values())


def _assert_database_works(data: Path) -> None:
    share = join_servers(make_folders(data))
    try:
        with psycopg.connect(paths.database_url("app", data=data)) as connection:
            row = connection.execute("SELECT current_user, lower('Ё'), '[1]'::vector").fetchone()
    finally:
        share.release()
    assert row is not None
    assert row[:2] == ("unde_app", "ё")
