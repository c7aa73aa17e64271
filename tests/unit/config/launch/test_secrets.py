import base64
import threading
from pathlib import Path

import pytest

from config.launch.secrets import read_environment, read_or_make


def test_a_secret_is_made_once_and_stays(tmp_path: Path) -> None:
    made = read_or_make(tmp_path, "secret_key")
    assert len(made) >= 50
    assert read_or_make(tmp_path, "secret_key") == made


def test_a_secret_is_readable_by_its_owner_alone_and_leaves_no_copy(tmp_path: Path) -> None:
    read_or_make(tmp_path, "dev_api_key")
    assert [path.name for path in tmp_path.iterdir()] == ["dev_api_key"]
    assert (tmp_path / "dev_api_key").stat().st_mode & 0o777 == 0o600


def test_a_master_key_is_an_id_and_32_random_bytes(tmp_path: Path) -> None:
    name, _, key = read_or_make(tmp_path, "master_keys").partition(":")
    assert name == "k1"
    assert len(base64.b64decode(key, validate=True)) == 32


def test_two_starts_at_once_agree_on_the_secret(tmp_path: Path) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(read_or_make(tmp_path, "instance"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_secret_of_the_environment_is_used_and_not_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNDE_DEV_API_KEY", "chosen")
    monkeypatch.delenv("UNDE_MASTER_KEYS", raising=False)
    environment = read_environment(tmp_path, has_demo=True)
    assert environment["UNDE_DEV_API_KEY"] == "chosen"
    assert not (tmp_path / "dev_api_key").exists()
    assert environment["UNDE_MASTER_KEYS"] == (tmp_path / "master_keys").read_text().strip()


def test_without_the_tenant_demo_no_key_is_made_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNDE_DEV_API_KEY", raising=False)
    assert "UNDE_DEV_API_KEY" not in read_environment(tmp_path, has_demo=False)
    assert not (tmp_path / "dev_api_key").exists()
