"""One user's key at work: JSON in, sealed bytes out, and fingerprints of keys (D-15)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from memory.reading_json import read_json
from memory.sealing.cipher import fingerprint, seal, unseal_all
from memory.sealing.errors import UserKeyLost
from memory.sealing.keystore import get_key_store
from memory.sealing.types import KeyStore

# Made once: json.dumps makes one for every call that asks for more than its defaults, for half of what sealing costs.
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


class UserVault:
    """Seals and opens what belongs to one user. The key is fetched at the first use and made by the first seal."""

    def __init__(self, *, user_id: UUID, key_store: KeyStore | None = None) -> None:
        self._user_id = user_id
        self._given_store = key_store

    def seal(self, content: Any, *, purpose: str) -> bytes:
        """JSON-encode and seal. Makes the user's key when there is none. Raises UserKeyDestroyed."""
        return self.seal_bytes(_ENCODER.encode(content).encode(), purpose=purpose)

    def seal_bytes(self, content: bytes, *, purpose: str) -> bytes:
        """As `seal`, for bytes as they are. Makes the user's key when there is none. Raises UserKeyDestroyed."""
        return seal(content, user_key=self._get_key(), user_id=self._user_id, purpose=purpose)

    def open(self, envelope: bytes | memoryview, *, purpose: str) -> Any:
        """What `seal` was given. Never makes a key: what is sealed had one. Raises SealBroken, UserKeyDestroyed."""
        return self.open_all([envelope], purpose=purpose)[0]

    def open_all(self, envelopes: Iterable[bytes | memoryview], *, purpose: str) -> list[Any]:
        """As `open`, for several: the key is fetched once for all."""
        return [read_json(plaintext) for plaintext in self.open_bytes(envelopes, purpose=purpose)]

    def open_bytes(self, envelopes: Iterable[bytes | memoryview], *, purpose: str) -> list[bytes]:
        """What `seal_bytes` was given, for several. Raises UserKeyLost, SealBroken, UserKeyDestroyed."""
        key = self._key_store.get(self._user_id)
        if key is None:
            raise UserKeyLost
        return unseal_all(envelopes, user_key=key, user_id=self._user_id, purpose=purpose)

    def fingerprint(self, knowledge_type: str, knowledge_key: str) -> bytes:
        """`key_hash` of a fact: equal for the same type and key of this user, meaningless for anybody else."""
        return fingerprint(self._get_key(), knowledge_type, knowledge_key)

    @cached_property
    def _key_store(self) -> KeyStore:
        return self._given_store or get_key_store()

    def _get_key(self) -> bytes:
        return self._key_store.get_or_create(self._user_id)
