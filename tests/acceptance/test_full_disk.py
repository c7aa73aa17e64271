"""The whole service on a disk that is really full: reading goes on, writing is refused with a reason, nothing is lost."""

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.service_process import ServiceProcess, remove_installation, wait_until
from tests.disks import fill_disk, mount_disk

pytestmark = pytest.mark.slow

MEGABYTES = 800  # a new cluster takes a quarter of it
EVERYONE = {"postgres", "valkey", "web", "worker", "beat"}


@pytest.fixture(scope="module")
def service() -> Iterator[ServiceProcess]:
    """A running service whose every file is on a small disk; open to the account that PostgreSQL runs under."""
    with tempfile.TemporaryDirectory(prefix="unde-disk-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        with mount_disk(folder / "disk", megabytes=MEGABYTES) as disk:
            running = ServiceProcess(disk / "data").start()
            try:
                yield running.wait_ready()
            finally:
                (disk / "filler").unlink(missing_ok=True)
                if running.process is not None and running.process.poll() is None:
                    running.stop()
                remove_installation(disk / "data")


def write(service: ServiceProcess, number: int) -> tuple[int, dict[str, object]]:
    """One message of Alice; the status and the answer."""
    message = {"user_id": "alice", "conversation_id": "c1", "role": "user", "id": f"m{number}"}
    status, body = service.call("/v1/messages", {**message, "content": f"line {number}: I wear size S"})
    return status, json.loads(body or b"{}")


def list_stored(service: ServiceProcess) -> set[str]:
    status, body = service.call("/v1/users/alice/messages?limit=200")
    assert status == 200, body
    return {message["client_id"] for message in json.loads(body)["results"]}


def ready(service: ServiceProcess) -> tuple[int, list[str]]:
    status, body = service.call("/readyz")
    return status, json.loads(body or b'{"reasons": []}')["reasons"]


def test_a_full_disk_refuses_writes_and_nothing_else_and_loses_nothing(service: ServiceProcess) -> None:
    acknowledged = {f"m{number}" for number in range(20) if write(service, number)[0] == 201}
    assert len(acknowledged) == 20
    before = service.list_children()
    filler = fill_disk(service.data.parent)
    refused = []
    for number in range(20, 60):
        status, answer = write(service, number)
        if status == 201:
            acknowledged.add(f"m{number}")
        else:
            refused.append((status, answer.get("code")))
        time.sleep(0.05)
    assert refused
    assert set(refused) == {(503, "storage_full")}
    assert list_stored(service) == acknowledged
    for path, more in (("/v1/search", {}), ("/v1/context", {"conversation_id": "c1"})):
        status, body = service.call(path, {"user_id": "alice", "query": "which size?", **more})
        assert status == 200, body
        assert b"receipt_not_stored" in body
    status, reasons = ready(service)
    assert status == 200
    assert any(reason.startswith("storage: ") and "nothing new is stored" in reason for reason in reasons)
    assert b"unde_storage_full 1.0" in service.call("/metrics")[1]
    assert service.list_children() == before
    filler.unlink()
    assert wait_until(lambda: write(service, 100)[0] == 201)
    assert list_stored(service) == acknowledged | {"m100"}
    assert ready(service) == (200, [])


def test_processes_that_die_on_a_full_disk_come_back_on_it(service: ServiceProcess) -> None:
    acknowledged = list_stored(service)
    filler = fill_disk(service.data.parent)
    for name in ("web", "worker", "beat"):
        service.kill_child(name)
    assert wait_until(lambda: set(service.list_children()) == EVERYONE)
    assert wait_until(lambda: ready(service)[0] == 200)
    assert list_stored(service) == acknowledged
    assert write(service, 200)[1]["code"] == "storage_full"
    filler.unlink()
    assert wait_until(lambda: write(service, 201)[0] == 201)


def test_a_database_that_dies_on_a_full_disk_is_tried_until_there_is_room(service: ServiceProcess) -> None:
    acknowledged = list_stored(service)
    filler = fill_disk(service.data.parent)
    service.kill_child("postgres")
    web = service.list_children()["web"]
    assert wait_until(lambda: ready(service)[0] in (200, 503))
    time.sleep(5)
    filler.unlink()
    assert wait_until(lambda: ready(service) == (200, []), seconds=120)
    assert service.list_children()["web"] == web
    assert list_stored(service) == acknowledged
    assert wait_until(lambda: write(service, 301)[0] == 201)
