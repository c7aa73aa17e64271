"""The whole cluster out of a base backup, write-ahead log included, with the key store left out (SPEC F-6, G-4).

And `docs/backup.md` as a person pastes it: what it backs up it brings back, and whoever was erased since stays erased.
"""

import base64
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from config.launch import paths
from config.launch.account import hand_over
from config.launch.embedded.binaries import find_postgres
from config.launch.folders import Folders, make_folders
from tests.acceptance.service_process import (
    ServiceProcess,
    build_environment,
    remove_installation,
    run_service,
    wait_until,
)

pytestmark = pytest.mark.slow

IN_THE_CLEAR = "zqfjordlantern"
SEALED = "zqsealedmarker"
BLOCKS: Final = re.findall(r"^```bash\n(.*?)^```$", (paths.ROOT / "docs" / "backup.md").read_text(), re.M | re.S)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """A running service with no users but those of this file: they are counted."""
    folder = tmp_path_factory.mktemp("backups")
    folder.chmod(0o755)
    with run_service(folder / "data") as running:
        yield running


@pytest.fixture
def restored(tmp_path: Path) -> Iterator[Folders]:
    """The folders of a second installation, into which the backup goes."""
    data = tmp_path / "data"
    yield make_folders(data)
    remove_installation(data)


def post(service: ServiceProcess, path: str, body: dict[str, Any], *, expected: int = 201) -> dict[str, Any]:
    status, answer = service.call(path, body)
    assert status == expected, answer
    found: dict[str, Any] = json.loads(answer)
    return found


def get_facts(service: ServiceProcess, user_id: str) -> tuple[int, Any]:
    status, answer = service.call(f"/v1/users/{user_id}/facts")
    found = json.loads(answer)
    return status, {fact["knowledge_type"]: fact["value"] for fact in found["results"]} if status == 200 else found[
        "code"
    ]


def plant(service: ServiceProcess, user_id: str) -> None:
    """A fact from a message, words in the clear, and words that only the user's key opens."""
    post(service, "/v1/messages", make_message(user_id, f"my size is M. {IN_THE_CLEAR}", conversation_id="first"))
    answer = post(service, "/v1/messages", make_message(user_id, "I'm allergic to nickel"))
    (nickel,) = (fact for fact in answer["facts"] if fact["knowledge_type"] == "allergy")
    post(service, f"/v1/facts/{nickel['id']}/dispute", {"reason": SEALED}, expected=200)


def make_message(user_id: str, content: str, **more: Any) -> dict[str, Any]:
    return {"user_id": user_id, "conversation_id": "second", "role": "user", "content": content, **more}


def erase(service: ServiceProcess, user_id: str, **scope: Any) -> None:
    asked = post(service, f"/v1/users/{user_id}/erasure", {"reason": "user_request", **scope}, expected=202)

    def is_completed() -> bool:
        return json.loads(service.call(f"/v1/erasures/{asked['erasure_id']}")[1])["certificate"] is not None

    assert wait_until(is_completed)


def take_base_backup(service: ServiceProcess, target: Path) -> None:
    """As an operator does it: over the socket, with the log that was written while it ran."""
    places = make_folders(service.data)
    tool = str(find_postgres(places.account) / "pg_basebackup")
    whole = ["-D", str(target), "-X", "stream", "-c", "fast"]
    subprocess.run([tool, "-h", str(places.run), "-U", "postgres", *whole], check=True, capture_output=True)
    assert any((target / "pg_wal").iterdir())


def restore(backup: Path, source: Path, target: Folders) -> None:
    """The cluster, the installation's secrets and the journal of tombstones. Not the keys of users."""
    shutil.copytree(backup, target.state / "pg")
    for path in [target.state / "pg", *(target.state / "pg").rglob("*")]:
        hand_over(path, target.account)
    for secret in (source / "secrets").iterdir():
        if secret.name != "instance":
            shutil.copy(secret, target.secrets / secret.name)
    shutil.copytree(source / "tombstones", target.data / "tombstones")


def manage(data: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "config.launch.manage", *arguments],
        env=build_environment(data),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def list_sealed(data: Path) -> list[bytes]:
    """Every sealed value in the restored database, as whoever stole the backup reads it."""
    with psycopg.connect(paths.database_url("superuser", data=data)) as connection:
        rows = connection.execute(
            "SELECT sealed FROM user_knowledge UNION ALL SELECT sealed FROM memory_action WHERE sealed IS NOT NULL"
        ).fetchall()
    return [bytes(row[0]) for row in rows]


def read_master_key(data: Path) -> bytes:
    return base64.b64decode((data / "secrets" / "master_keys").read_text().strip().partition(":")[2])


def find_in_files(folder: Path, marker: str) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and marker.encode() in path.read_bytes()]


def test_a_base_backup_without_the_key_store_gives_no_fact_away_and_the_erased_go_again(
    service: ServiceProcess, restored: Folders, tmp_path: Path
) -> None:
    for user_id in ("alice", "bob", "charlie"):
        plant(service, user_id)
    backup = tmp_path / "backup"
    take_base_backup(service, backup)
    erase(service, "charlie")
    erase(service, "alice", scope="conversation", conversation_id="first")
    assert get_facts(service, "bob") == (200, {"body_params": "M", "allergy": "nickel"})

    # What the thief of a backup reads: messages, for their text is not sealed, and nothing that is.
    assert find_in_files(backup, IN_THE_CLEAR)
    assert find_in_files(backup, SEALED) == []
    restore(backup, service.data, restored)
    assert not any((restored.data / "keys").rglob("*.key"))

    status, said = manage(restored.data, "restore_check")
    assert "2 tombstones compared with the database, 1 erased again" in said
    assert "2 users have facts that no key decrypts" in said
    assert "need the keys" in said, said  # alice's part takes evidence out of facts that must be read for it
    assert status == 1

    second = ServiceProcess(restored.data).start()
    try:
        second.wait_ready()
        sealed = list_sealed(restored.data)
        assert len(sealed) >= 6
        for envelope in sealed:  # the master key, which was in the installation's secrets, opens none of them
            with pytest.raises(InvalidTag):
                AESGCM(read_master_key(restored.data)).decrypt(envelope[1:13], envelope[13:], None)
        assert get_facts(second, "charlie") == (404, "user_not_found")
        assert get_facts(second, "bob") == (500, "user_key_lost")
        status, answer = second.call("/v1/messages", make_message("bob", "my size is XL"))
        assert (status, json.loads(answer)["code"]) == (500, "user_key_lost")
        assert not any((restored.data / "keys").rglob("*.key"))

        # The key store is gone for good: messages teach again, and then alice's erasure is done too.
        assert manage(restored.data, "rebuild", "--tenant", "demo", "--lost-keys")[0] == 0
        status, said = manage(restored.data, "restore_check")
        assert (status, "1 erased again" in said) == (0, True), said
        assert get_facts(second, "bob") == (200, {"body_params": "M", "allergy": "nickel"})
        assert get_facts(second, "alice") == (200, {"allergy": "nickel"})
        assert get_facts(second, "charlie") == (404, "user_not_found")
    finally:
        second.stop()


def test_with_its_keys_put_back_the_same_backup_is_whole(
    service: ServiceProcess, restored: Folders, tmp_path: Path
) -> None:
    plant(service, "dora")
    backup = tmp_path / "backup"
    take_base_backup(service, backup)
    restore(backup, service.data, restored)
    shutil.copytree(service.data / "keys", restored.data / "keys", dirs_exist_ok=True)
    status, said = manage(restored.data, "restore_check")
    assert status == 0, said
    assert "no key opens" not in said
    status, said = manage(restored.data, "rebuild", "--tenant", "demo", "--user", "dora", "--diff")
    assert status == 0, said
    assert "no differences" in said


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


def test_what_was_backed_up_as_the_page_says_is_back_and_who_was_erased_since_is_not(
    service: ServiceProcess, tmp_path: Path
) -> None:
    back_up, put_back, check, clear = BLOCKS
    for user_id in ("erin", "frank"):
        post(service, "/v1/messages", make_message(user_id, "my size is M and I am allergic to nickel"))
    assert "backup successfully verified" in paste(back_up, service.data, tmp_path / "backup")
    erase(service, "frank")
    post(service, "/v1/messages", make_message("erin", "my size is L"))
    service.stop()

    paste(put_back, service.data, tmp_path / "backup")
    said = paste(check, service.data, tmp_path / "backup")
    # Two erasures of the first test were done before the backup.
    assert "3 tombstones compared with the database, 1 erased again" in said
    service.start().wait_ready()
    assert get_facts(service, "erin") == (200, {"body_params": "M", "allergy": "nickel"})
    assert get_facts(service, "frank") == (404, "user_not_found")
    paste(clear, service.data, tmp_path / "backup")
    service.stop()
    assert not list(service.data.glob("**/*.before-restore"))
