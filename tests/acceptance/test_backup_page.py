"""The commands of docs/backup.md are run as they stand there: nothing is lost, and the erased do not come back."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from config.launch import paths
from tests.acceptance.service_process import ServiceProcess, build_environment, remove_installation, wait_until

pytestmark = pytest.mark.slow

BLOCKS: Final = re.findall(r"^```bash\n(.*?)^```$", (paths.ROOT / "docs" / "backup.md").read_text(), re.M | re.S)


def paste(block: str, data: Path, backup: Path) -> str:
    """Run a block as a person who pastes it into a shell in the checkout."""
    done = subprocess.run(
        ["bash", "-e", "-c", block],
        cwd=paths.ROOT,
        env={**build_environment(data), "BACKUP": str(backup)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def say(service: ServiceProcess, user_id: str, content: str) -> None:
    body = {"user_id": user_id, "conversation_id": "c", "role": "user", "content": content}
    status, answer = service.call("/v1/messages", body)
    assert status == 201, answer


def read_facts(service: ServiceProcess, user_id: str) -> Any:
    status, answer = service.call(f"/v1/users/{user_id}/facts")
    found = json.loads(answer)
    return {fact["knowledge_key"]: fact["value"] for fact in found["results"]} if status == 200 else found["code"]


def erase(service: ServiceProcess, user_id: str) -> None:
    _, answer = service.call(f"/v1/users/{user_id}/erasure", {"reason": "user_request"})
    asked = json.loads(answer)

    def is_completed() -> bool:
        return json.loads(service.call(f"/v1/erasures/{asked['erasure_id']}")[1])["certificate"] is not None

    assert wait_until(is_completed)


def test_what_was_backed_up_is_back_and_who_was_erased_since_is_not(tmp_path: Path) -> None:
    back_up, put_back, check, clear = BLOCKS
    data, backup = tmp_path / "data", tmp_path / "backup"
    tmp_path.chmod(0o755)
    service = ServiceProcess(data).start()
    try:
        service.wait_ready()
        for user_id in ("alice", "charlie"):
            say(service, user_id, "my size is M and I am allergic to nickel")
        assert "backup successfully verified" in paste(back_up, data, backup)
        erase(service, "charlie")
        say(service, "alice", "my size is L")
        service.stop()

        paste(put_back, data, backup)
        assert "1 tombstones compared with the database, 1 erased again" in paste(check, data, backup)
        service.start().wait_ready()
        assert read_facts(service, "alice") == {"size": "M", "nickel": "nickel"}
        assert read_facts(service, "charlie") == "user_not_found"
        paste(clear, data, backup)
        service.stop()
        assert not list(data.glob("**/*.before-restore"))
    finally:
        if service.process is not None and service.process.poll() is None:
            service.stop()
        remove_installation(data)
