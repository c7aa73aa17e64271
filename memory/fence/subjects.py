"""What survives of the tenant's own ids: HMACs under a key of the tenant (D-29)."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any
from uuid import UUID

from memory.sealing.keystore import get_key_store


def make_subject_hmac(*, tenant_id: UUID, external_id: str) -> bytes:
    """Stands for an erased user's external id. 32 bytes; equal for equal ids of one tenant, meaningless elsewhere."""
    return _sign(tenant_id, b"subject", external_id.encode())


def make_conversation_hmac(*, tenant_id: UUID, user_external_id: str, conversation_external_id: str) -> str:
    """Stands, in hex, for the tenant's id of an erased conversation."""
    return _sign(tenant_id, b"conversation", _pack(user_external_id, conversation_external_id)).hex()


def make_message_hmac(*, tenant_id: UUID, user_external_id: str, conversation_external_id: str, client_id: str) -> str:
    """Stands, in hex, for the tenant's id of an erased message."""
    return _sign(tenant_id, b"message", _pack(user_external_id, conversation_external_id, client_id)).hex()


def make_fingerprint(*, tenant_id: UUID, asked: Any) -> bytes:
    """Equal for requests that ask for the same erasure; `asked` is JSON."""
    return _sign(tenant_id, b"request", json.dumps(asked, sort_keys=True).encode())


def _pack(*parts: str) -> bytes:
    return json.dumps(parts, ensure_ascii=False).encode()


def _sign(tenant_id: UUID, use: bytes, content: bytes) -> bytes:
    # One use can't be taken for another: the use has no NUL and the content follows it.
    return hmac.new(get_key_store().get_or_create(tenant_id), use + b"\0" + content, hashlib.sha256).digest()
