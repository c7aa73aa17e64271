import os
from pathlib import Path

from config.launch.locks import Lock, read_holder


def test_a_lock_is_held_by_one_until_it_is_given_back(tmp_path: Path) -> None:
    first, second = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    assert first.take()
    assert not second.take()
    first.release()
    assert second.take()


def test_shares_stand_beside_each_other_and_keep_a_sole_owner_out(tmp_path: Path) -> None:
    one, two, sole = (Lock(tmp_path / "lock") for _ in range(3))
    assert one.take(is_shared=True)
    assert two.take(is_shared=True)
    assert not sole.take()
    one.release()
    assert not sole.take()
    two.release()
    assert sole.take()


def test_a_holder_signs_with_process_and_name(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "lock")
    lock.take()
    lock.sign("script/server starting")
    lock.sign("script/server ready")
    assert read_holder(tmp_path / "lock") == (os.getpid(), "script/server ready")


def test_a_lock_that_nobody_signed_has_no_holder(tmp_path: Path) -> None:
    assert read_holder(tmp_path / "lock") == (0, "")
    (tmp_path / "lock").write_text("")
    assert read_holder(tmp_path / "lock") == (0, "")
