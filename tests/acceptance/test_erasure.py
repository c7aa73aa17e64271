"""An erasure through the real door: carried out by the real worker, also when everything that wakes it is killed."""

import json
import os
import signal
from typing import Any

import pytest

from tests.acceptance.service_process import ServiceProcess, wait_until

pytestmark = pytest.mark.slow


def say(service: ServiceProcess, user_id: str, content: str, **more: Any) -> tuple[int, dict[str, Any]]:
    """One message of a user; status and answer."""
    body = {"user_id": user_id, "conversation_id": "c-1", "role": "user", "content": content, **more}
    status, answer = service.call("/v1/messages", body)
    return status, json.loads(answer)


def erase(service: ServiceProcess, user_id: str) -> str:
    """Ask for the erasure of a user; its id."""
    status, answer = service.call(f"/v1/users/{user_id}/erasure", {"reason": "user_request"})
    assert status == 202, answer
    erasure_id: str = json.loads(answer)["erasure_id"]
    return erasure_id


def is_completed(service: ServiceProcess, erasure_id: str) -> bool:
    """Whether the erasure is done and certified."""
    status, answer = service.call(f"/v1/erasures/{erasure_id}")
    return status == 200 and json.loads(answer)["certificate"] is not None


def test_a_user_is_erased_within_moments_and_comes_back_as_another(service: ServiceProcess) -> None:
    said_at = "2026-01-02T10:00:00+04:00"
    assert say(service, "charlie", "my size is M", created_at=said_at)[0] == 201
    erasure_id = erase(service, "charlie")
    assert service.call("/v1/users/charlie/facts")[0] == 404
    assert wait_until(lambda: is_completed(service, erasure_id))
    status, refused = say(service, "charlie", "my size is M", created_at=said_at)
    assert (status, refused["code"]) == (409, "erased_period")
    assert say(service, "charlie", "good to be back")[0] == 201
    facts = json.loads(service.call("/v1/users/charlie/facts")[1])
    assert facts["results"] == []


def test_an_erasure_survives_the_death_of_worker_and_broker(service: ServiceProcess) -> None:
    assert say(service, "dora", "my size is M")[0] == 201
    children = service.list_children()
    for name in ("valkey", "worker"):
        os.kill(children[name], signal.SIGKILL)
    erasure_id = erase(service, "dora")
    assert wait_until(lambda: is_completed(service, erasure_id), seconds=180)
