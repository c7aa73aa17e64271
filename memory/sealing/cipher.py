"""Sealing of values under a user's key, and fingerprints for equality without opening (SPEC F-6, D-15)."""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable
from typing import Final
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from memory.sealing.errors import SealBroken

KEY_BYTES: Final = 32
_VERSION: Final = b"\x01"
_NONCE_BYTES: Final = 12
_TAG_BYTES: Final = 16


def seal(plaintext: bytes, *, user_key: bytes, user_id: UUID, purpose: str) -> bytes:
    """Encrypt `plaintext` with AES-256-GCM, bound to the user and the purpose (e.g. `fact`).

    The envelope is one version byte, a random nonce of 12 bytes, the ciphertext and its tag of 16 bytes. It opens
    only with the same user key, user id and purpose.
    """
    nonce = os.urandom(_NONCE_BYTES)
    sealed = AESGCM(_derive(user_key, b"seal")).encrypt(nonce, plaintext, _bind(user_id, purpose))
    return _VERSION + nonce + sealed


def unseal(envelope: bytes | memoryview, *, user_key: bytes, user_id: UUID, purpose: str) -> bytes:
    """The plaintext of `seal`. Raises SealBroken when key, user, purpose or bytes are not those it was sealed with."""
    return unseal_all([envelope], user_key=user_key, user_id=user_id, purpose=purpose)[0]


def unseal_all(envelopes: Iterable[bytes | memoryview], *, user_key: bytes, user_id: UUID, purpose: str) -> list[bytes]:
    """As `unseal`, for what one user sealed for one purpose: the key is made ready once for all."""
    decrypt, bound = AESGCM(_derive(user_key, b"seal")).decrypt, _bind(user_id, purpose)
    opened: list[bytes] = []
    for envelope in envelopes:
        data = bytes(envelope)
        if data[:1] != _VERSION or len(data) < 1 + _NONCE_BYTES + _TAG_BYTES:
            raise SealBroken
        try:
            opened.append(decrypt(data[1 : 1 + _NONCE_BYTES], data[1 + _NONCE_BYTES :], bound))
        except InvalidTag:
            raise SealBroken from None
    return opened


def fingerprint(user_key: bytes, *parts: str | bytes) -> bytes:
    """32 bytes that are equal for equal parts under the same user key and say nothing without it (D-15: key_hash).

    Parts are kept apart: ("a", "bc") and ("ab", "c") differ.
    """
    encoded = [part.encode() if isinstance(part, str) else part for part in parts]
    message = b"".join([len(data).to_bytes(8, "big") + data for data in encoded])
    return hmac.digest(_derive(user_key, b"fingerprint"), message, "sha256")


def _derive(user_key: bytes, use: bytes) -> bytes:
    # One key for one use: what is learnt about the fingerprint key helps nobody to open values.
    return hmac.digest(user_key, b"unde memory v1 " + use, "sha256")


def _bind(user_id: UUID, purpose: str) -> bytes:
    return _VERSION + user_id.bytes + purpose.encode()
