"""Certificates: what was erased, before and after, signed under the master key and chained within a tenant (D-30)."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import execute
from memory.ids import new_id
from memory.models import ErasureCertificate
from memory.sealing.keyring import MasterKeyring
from memory.types import UserRef

FORMAT: Final = 1
_USE: Final = b"unde memory v1 erasure certificate"


@dataclass(frozen=True, slots=True)
class CertificateFault:
    """What is wrong with a certificate: `signature`, `chain` or `key_missing`."""

    certificate_id: UUID
    fault: str


def sign_certificate(
    *, user: UserRef, erasure_id: UUID, stage: int, content: Mapping[str, Any], now: datetime
) -> ErasureCertificate:
    """Sign and store a certificate as the next of the tenant's chain. `content` is JSON without floats. Writes.

    Call inside a tenant scope; the tenant's chain is locked until the transaction ends.
    """
    _lock_chain(user.tenant_id)
    last = ErasureCertificate.objects.filter(tenant_id=user.tenant_id).order_by("-number").first()
    keyring = MasterKeyring.parse(settings.UNDE_MASTER_KEYS)
    body = {
        **content,
        "format": FORMAT,
        "stage": stage,
        "erasure_id": str(erasure_id),
        "tenant_id": str(user.tenant_id),
        "user_id": str(user.id),
        "number": last.number + 1 if last else 1,
        "previous_hash": hash_certificate(last.body) if last else None,
        "signed_at": now.isoformat(),
        "signed_with": keyring.current_id,
    }
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return ErasureCertificate.objects.create(
        id=new_id(),
        tenant_id=user.tenant_id,
        user_id=user.id,
        erasure_id=erasure_id,
        stage=stage,
        number=body["number"],
        body=text,
        signature=_sign(keyring.keys[keyring.current_id], text),
        signed_at=now,
    )


def find_broken_certificate(*, tenant_id: UUID) -> CertificateFault | None:
    """The first certificate of a tenant that does not hold: changed, out of the chain, signed with an unknown key."""
    keyring = MasterKeyring.parse(settings.UNDE_MASTER_KEYS)
    previous: ErasureCertificate | None = None
    for row in ErasureCertificate.objects.filter(tenant_id=tenant_id).order_by("number").iterator():
        fault = _find_fault(row, previous, keyring)
        if fault:
            return CertificateFault(row.id, fault)
        previous = row
    return None


def hash_certificate(body: str) -> str:
    """What the next certificate carries of this one, in hex."""
    return hashlib.sha256(body.encode()).hexdigest()


def _find_fault(row: ErasureCertificate, previous: ErasureCertificate | None, keyring: MasterKeyring) -> str | None:
    body = json.loads(row.body)
    key = keyring.keys.get(body.get("signed_with", ""))
    if key is None:
        return "key_missing"
    if not hmac.compare_digest(_sign(key, row.body), bytes(row.signature)):
        return "signature"
    is_next = body["number"] == row.number == (previous.number + 1 if previous else 1)
    follows = body["previous_hash"] == (hash_certificate(previous.body) if previous else None)
    return None if is_next and follows else "chain"


def _sign(master_key: bytes, text: str) -> bytes:
    # One key for one use: signing says nothing about the key that wraps the keys of users.
    return hmac.digest(hmac.digest(master_key, _USE, "sha256"), text.encode(), "sha256")


def _lock_chain(tenant_id: UUID) -> None:
    execute("SELECT pg_advisory_xact_lock(hashtextextended('erasure_certificate' || %s::text, 0))", [str(tenant_id)])
