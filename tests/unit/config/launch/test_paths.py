import os
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from config.launch import paths


def test_the_data_directory_is_the_named_one_else_a_folder_of_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDE_DATA_DIR", "/srv/memory")
    assert paths.data_dir() == Path("/srv/memory")
    monkeypatch.delenv("UNDE_DATA_DIR")
    assert paths.data_dir() == paths.ROOT / ".data"


def test_a_role_has_its_own_login_on_the_socket_of_its_data_directory() -> None:
    url = urlsplit(paths.database_url("worker", data=Path("/srv/memory")))
    assert (url.username, url.password, url.path) == ("unde_worker", None, "/unde")
    assert parse_qs(url.query)["host"] == ["/srv/memory/run"]


def test_a_path_too_long_for_a_socket_gets_a_short_folder_that_is_always_the_same() -> None:
    deep = Path("/srv") / ("x" * 170)
    assert paths.socket_dir(deep) == paths.socket_dir(deep)
    assert paths.socket_dir(deep) != paths.socket_dir(deep / "other")
    assert len(os.fsencode(paths.socket_dir(deep))) <= paths.SOCKET_DIR_LIMIT


@pytest.mark.parametrize("name", ["my memory", "a,b", "память", "50%", "a?b#c"])
def test_unusual_letters_in_the_path_never_reach_a_socket_address(name: str) -> None:
    folder = paths.socket_dir(Path("/srv") / name)
    assert folder.parent != Path("/srv") / name
    assert paths.PLAIN_PATH.fullmatch(str(folder))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("unix:///run/valkey.sock?db=3", "redis+socket:///run/valkey.sock?virtual_host=3"),
        ("unix:///run/valkey.sock", "redis+socket:///run/valkey.sock?virtual_host=0"),
        ("redis://user:secret@host:6379/2", "redis://user:secret@host:6379/2"),
        ("rediss://host/0?ssl_cert_reqs=required", "rediss://host/0?ssl_cert_reqs=required"),
    ],
)
def test_a_redis_address_becomes_one_that_celery_reads(given: str, wanted: str) -> None:
    assert paths.celery_broker_url(given) == wanted


def test_cache_and_broker_are_the_same_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDE_DATA_DIR", "/srv/memory")
    assert unquote(urlsplit(paths.redis_url()).path) == "/srv/memory/run/valkey.sock"
    assert urlsplit(paths.celery_broker_url()).path == urlsplit(paths.redis_url()).path
