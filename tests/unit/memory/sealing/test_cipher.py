from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.sealing.cipher import fingerprint, seal, unseal, unseal_all
from memory.sealing.errors import SealBroken

ALICE = UUID("01900000-0000-7000-8000-00000000000a")
BOB = UUID("01900000-0000-7000-8000-00000000000b")
KEY = bytes(range(32))


@given(st.binary(max_size=2_000))
def test_what_was_sealed_opens_to_the_same_bytes(plaintext: bytes) -> None:
    envelope = seal(plaintext, user_key=KEY, user_id=ALICE, purpose="fact")
    assert unseal(memoryview(envelope), user_key=KEY, user_id=ALICE, purpose="fact") == plaintext


def test_the_envelope_does_not_hold_the_plaintext_and_differs_each_time() -> None:
    first = seal("никель".encode(), user_key=KEY, user_id=ALICE, purpose="fact")
    second = seal("никель".encode(), user_key=KEY, user_id=ALICE, purpose="fact")
    assert first != second
    assert "никель".encode() not in first


def test_several_are_opened_in_their_order_and_none_where_one_is_broken() -> None:
    envelopes = [seal(text, user_key=KEY, user_id=ALICE, purpose="fact") for text in (b"nickel", b"wool")]
    assert unseal_all(envelopes, user_key=KEY, user_id=ALICE, purpose="fact") == [b"nickel", b"wool"]
    with pytest.raises(SealBroken):
        unseal_all([*envelopes, envelopes[0][:-1]], user_key=KEY, user_id=ALICE, purpose="fact")


@pytest.mark.parametrize(
    ("user_key", "user_id", "purpose"),
    [(bytes(32), ALICE, "fact"), (KEY, BOB, "fact"), (KEY, ALICE, "candidate")],
    ids=["another key", "another user", "another purpose"],
)
def test_a_sealed_value_opens_only_where_it_was_sealed_for(user_key: bytes, user_id: UUID, purpose: str) -> None:
    envelope = seal(b"nickel", user_key=KEY, user_id=ALICE, purpose="fact")
    with pytest.raises(SealBroken):
        unseal(envelope, user_key=user_key, user_id=user_id, purpose=purpose)


def test_every_changed_byte_is_noticed() -> None:
    envelope = seal(b"nickel", user_key=KEY, user_id=ALICE, purpose="fact")
    for position in range(len(envelope)):
        changed = bytearray(envelope)
        changed[position] ^= 1
        with pytest.raises(SealBroken):
            unseal(bytes(changed), user_key=KEY, user_id=ALICE, purpose="fact")


@pytest.mark.parametrize("envelope", [b"", b"\x01", b"\x01" + bytes(20), b"\x02" + bytes(60)])
def test_bytes_that_are_no_envelope_are_refused_with_the_same_error(envelope: bytes) -> None:
    with pytest.raises(SealBroken) as caught:
        unseal(envelope, user_key=KEY, user_id=ALICE, purpose="fact")
    assert str(caught.value) == "seal_broken"


def test_a_fingerprint_is_equal_for_equal_parts_and_keeps_parts_apart() -> None:
    assert fingerprint(KEY, "allergy", "nickel") == fingerprint(KEY, "allergy", b"nickel")
    assert fingerprint(KEY, "a", "bc") != fingerprint(KEY, "ab", "c")
    assert len(fingerprint(KEY, "allergy", "nickel")) == 32


def test_a_fingerprint_under_another_users_key_is_another() -> None:
    assert fingerprint(KEY, "allergy", "nickel") != fingerprint(bytes(32), "allergy", "nickel")
