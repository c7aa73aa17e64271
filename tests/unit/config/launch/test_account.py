import os
from pathlib import Path

import pytest

from config.launch.account import Account, find_server_account, has_way_to
from config.launch.errors import LaunchError

STRANGER = Account(name="stranger", uid=54321, gid=54321)


def test_a_stranger_walks_through_open_folders_and_not_through_closed_ones(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "open", tmp_path / "closed"):
        folder.mkdir(exist_ok=True)
    walkable = Path("/")
    assert has_way_to(walkable, STRANGER)
    (tmp_path / "closed").chmod(0o700)
    assert not has_way_to(tmp_path / "closed", STRANGER)
    assert not has_way_to(tmp_path / "closed" / "below", STRANGER)


def test_an_account_walks_through_its_own_closed_folder() -> None:
    # The folders above must let it through as well, so the case is built where everybody may go.
    folder = Path("/tmp") / f"unde-test-{os.getpid()}"
    folder.mkdir(mode=0o700)
    try:
        owner = Account(name="owner", uid=folder.stat().st_uid, gid=folder.stat().st_gid)
        assert has_way_to(folder, owner)
        assert not has_way_to(folder, STRANGER)
    finally:
        folder.rmdir()


def test_without_another_account_every_way_is_open(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert has_way_to(tmp_path, None)


def test_folders_that_do_not_exist_yet_are_no_obstacle() -> None:
    assert has_way_to(Path("/not-there/at-all"), STRANGER)


def test_a_plain_user_needs_no_other_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert find_server_account() is None


def test_root_without_a_usable_account_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("UNDE_SERVER_USER", "no-such-account")
    with pytest.raises(LaunchError, match="UNDE_SERVER_USER"):
        find_server_account()


def test_root_itself_is_never_the_servers_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("UNDE_SERVER_USER", "root")
    with pytest.raises(LaunchError):
        find_server_account()
