import base64
from uuid import UUID

import pytest

from memory.sealing.errors import MasterKeyMissing, MasterKeysInvalid, SealBroken
from memory.sealing.keyring import MasterKeyring

ALICE = UUID("01900000-0000-7000-8000-00000000000a")
BOB = UUID("01900000-0000-7000-8000-00000000000b")
OLD = "old:" + base64.b64encode(bytes(32)).decode()
NEW = "new:" + base64.b64encode(b"n" * 32).decode()
USER_KEY = b"k" * 32


def test_the_first_master_key_wraps_and_the_others_still_unwrap() -> None:
    wrapped_before = MasterKeyring.parse(OLD).wrap(USER_KEY, user_id=ALICE)
    keyring = MasterKeyring.parse(f"{NEW}, {OLD}")
    assert keyring.unwrap(wrapped_before, user_id=ALICE) == USER_KEY
    assert keyring.get_key_id(wrapped_before) == "old"
    assert keyring.get_key_id(keyring.wrap(USER_KEY, user_id=ALICE)) == "new"


def test_a_wrapped_key_is_of_no_use_to_another_user() -> None:
    keyring = MasterKeyring.parse(OLD)
    with pytest.raises(SealBroken):
        keyring.unwrap(keyring.wrap(USER_KEY, user_id=ALICE), user_id=BOB)


def test_a_master_key_that_is_no_longer_listed_is_named() -> None:
    wrapped = MasterKeyring.parse(OLD).wrap(USER_KEY, user_id=ALICE)
    with pytest.raises(MasterKeyMissing) as caught:
        MasterKeyring.parse(NEW).unwrap(wrapped, user_id=ALICE)
    assert "'old'" in caught.value.message


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        (" , ", "is empty"),
        ("nokey", "has 0 bytes"),
        ("a:###", "not base64"),
        ("a:" + base64.b64encode(b"short").decode(), "has 5 bytes"),
        (f":{OLD[4:]}", "has no id"),
        (f"{OLD},{OLD}", "twice"),
    ],
)
def test_malformed_master_keys_are_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(MasterKeysInvalid, match="master_keys_invalid") as caught:
        MasterKeyring.parse(text)
    assert reason in caught.value.message


def test_the_keyring_does_not_show_its_keys() -> None:
    assert "nnnn" not in repr(MasterKeyring.parse(NEW))


@pytest.mark.parametrize("wrapped", [b"", b"\x01", b"\x02\x03old", b"\x01\x09old", b"\x01\x03old", b"\x01\x03oldshort"])
def test_bytes_that_are_no_wrapped_key_are_refused(wrapped: bytes) -> None:
    with pytest.raises(SealBroken):
        MasterKeyring.parse(OLD).unwrap(wrapped, user_id=ALICE)
