"""Master keys: they wrap the keys of users and come from the environment, never from the database (SPEC F-6)."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from memory.sealing.cipher import KEY_BYTES
from memory.sealing.errors import MasterKeyMissing, MasterKeysInvalid, SealBroken

_VERSION: Final = b"\x01"
_NONCE_BYTES: Final = 12
_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class MasterKeyring:
    """The master keys by id. `current_id` wraps; the others only unwrap, until everything is wrapped anew."""

    current_id: str
    keys: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def parse(cls, text: str) -> MasterKeyring:
        """Read `id:base64[,id:base64...]`, the first being current. Raises MasterKeysInvalid with the reason."""
        keys: dict[str, bytes] = {}
        for position, entry in enumerate(filter(None, (part.strip() for part in text.split(","))), start=1):
            key_id, _, encoded = entry.partition(":")
            if key_id in keys:
                raise MasterKeysInvalid(f"UNDE_MASTER_KEYS names the id of entry {position} twice.")
            keys[key_id] = _decode(key_id, encoded, position=position)
        if not keys:
            raise MasterKeysInvalid("UNDE_MASTER_KEYS is empty: facts cannot be encrypted without a master key.")
        return cls(current_id=next(iter(keys)), keys=keys)

    def wrap(self, user_key: bytes, *, user_id: UUID) -> bytes:
        """Encrypt a user key under the current master key, bound to the user id."""
        name = self.current_id.encode()
        head = _VERSION + bytes([len(name)]) + name
        nonce = os.urandom(_NONCE_BYTES)
        return head + nonce + AESGCM(self.keys[self.current_id]).encrypt(nonce, user_key, head + user_id.bytes)

    def unwrap(self, wrapped: bytes, *, user_id: UUID) -> bytes:
        """The user key. Raises MasterKeyMissing for a master key that is not listed, SealBroken for changed bytes."""
        key_id = self.get_key_id(wrapped)
        if key_id not in self.keys:
            raise MasterKeyMissing(f"The master key '{key_id}' is still in use and not in UNDE_MASTER_KEYS.")
        head_length = 2 + len(key_id)
        nonce = wrapped[head_length : head_length + _NONCE_BYTES]
        try:
            return AESGCM(self.keys[key_id]).decrypt(
                nonce, wrapped[head_length + _NONCE_BYTES :], wrapped[:head_length] + user_id.bytes
            )
        except (InvalidTag, ValueError):
            raise SealBroken from None

    def get_key_id(self, wrapped: bytes) -> str:
        """The id of the master key that wrapped this. Raises SealBroken when the bytes are not of `wrap`."""
        if len(wrapped) < 2 or wrapped[:1] != _VERSION:
            raise SealBroken
        name = wrapped[2 : 2 + wrapped[1]]
        if len(name) != wrapped[1] or not name.isascii():
            raise SealBroken
        return name.decode("ascii")


def _decode(key_id: str, encoded: str, *, position: int) -> bytes:
    if not _ID.fullmatch(key_id):
        raise MasterKeysInvalid(f"Entry {position} of UNDE_MASTER_KEYS has no id (letters, digits, . _ -) before ':'.")
    try:
        key = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise MasterKeysInvalid(f"Entry {position} of UNDE_MASTER_KEYS is not base64 after ':'.") from None
    if len(key) != KEY_BYTES:
        raise MasterKeysInvalid(f"Entry {position} of UNDE_MASTER_KEYS has {len(key)} bytes; it must have {KEY_BYTES}.")
    return key
