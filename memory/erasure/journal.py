"""The journal of tombstones: a file each, outside the database, so that a restored backup meets what was erased since
it was taken (SPEC G-4). Ids, times and HMACs only; keep it with the key store, longer than any backup.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings

from memory.models import ErasureRequest, Tombstone
from memory.types import UserRef


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A tombstone and the request that laid it, as the journal keeps them."""

    tenant_id: str
    user_id: str
    erasure_id: str
    tombstone_id: str
    subject_hmac: str
    scope: str
    conversation_id: str | None
    message_ids: list[str] | None
    said_from: str | None
    said_to: str | None
    refused_hmacs: list[str]
    erased_up_to: str
    requested_at: str
    warning_at: str
    critical_at: str
    deadline_at: str
    reason: str
    actor: str
    legal_profile: str
    fingerprint: str

    @property
    def user(self) -> UserRef:
        """Whom it is about."""
        return UserRef(id=UUID(self.user_id), tenant_id=UUID(self.tenant_id))


def get_journal_folder() -> Path:
    """Where the journal is: UNDE_TOMBSTONE_DIR."""
    return Path(settings.UNDE_TOMBSTONE_DIR)


def write_entry(*, user: UserRef, erasure_id: UUID) -> Path:
    """Put an erasure into the journal, durably, before its first row goes. May be repeated. Writes one file."""
    request = ErasureRequest.objects.get(user_id=user.id, id=erasure_id)
    tombstone = Tombstone.objects.get(user_id=user.id, id=request.tombstone_id)
    path = get_journal_folder() / str(user.tenant_id) / f"{erasure_id}.json"
    if not path.exists():
        _write_durably(path, json.dumps(asdict(_make_entry(request, tombstone)), indent=1, sort_keys=True))
    return path


def list_entries(*, folder: Path | None = None) -> Iterator[JournalEntry]:
    """Every entry of the journal, by tenant, oldest first. Raises ValueError naming a file that is not of this form."""
    for path in sorted((folder or get_journal_folder()).glob("*/*.json")):
        try:
            yield JournalEntry(**json.loads(path.read_text(encoding="utf-8")))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path} is not an entry of the journal of tombstones: {error}") from None


def _make_entry(request: ErasureRequest, tombstone: Tombstone) -> JournalEntry:
    return JournalEntry(
        tenant_id=str(request.tenant_id),
        user_id=str(request.user_id),
        erasure_id=str(request.id),
        tombstone_id=str(tombstone.id),
        subject_hmac=bytes(tombstone.subject_hmac).hex(),
        scope=tombstone.scope,
        conversation_id=_say(tombstone.conversation_id),
        message_ids=tombstone.message_ids,
        said_from=_say(tombstone.said_from),
        said_to=_say(tombstone.said_to),
        refused_hmacs=tombstone.refused_hmacs,
        erased_up_to=tombstone.erased_up_to.isoformat(),
        requested_at=request.requested_at.isoformat(),
        warning_at=request.warning_at.isoformat(),
        critical_at=request.critical_at.isoformat(),
        deadline_at=request.deadline_at.isoformat(),
        reason=request.reason,
        actor=request.actor,
        legal_profile=request.legal_profile,
        fingerprint=bytes(request.fingerprint).hex(),
    )


def _say(value: Any) -> str | None:
    if value is None:
        return None
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _write_durably(path: Path, text: str) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(name).replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
