"""Looking again, as long after an erasure as anybody likes: rows, key, cache, files, and the chain of proofs (D-30)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from memory.erasure.certificates import CertificateFault, find_broken_certificate, sign_certificate
from memory.erasure.selectors import get_scope
from memory.erasure.table_files import NOT_CHECKED, is_clean, judge_storage
from memory.erasure.worker import count_rows, look_at_key
from memory.models import ErasureCertificate, ErasureRequest
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

LARGEST_CACHE: Final = 200_000  # keys; beyond it the search of the cache is left to its operator, and said so
SECOND_STAGE: Final = 2


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found about one erasure."""

    erasure_id: UUID
    status: str
    rows_left: dict[str, int]
    user_key: str
    cache: str
    storage: dict[str, str]
    backups_until: datetime | None
    broken_certificate: CertificateFault | None
    is_rechecked: bool = False
    """Whether it was looked at once more, when every request that began before it is over."""
    certificate: ErasureCertificate | None = None
    """The certificate of stage two, when this verification signed it."""

    @property
    def is_proved(self) -> bool:
        """Whether nothing was found that should be gone. What can't be seen is not found; the report names it."""
        return (
            self.status == "completed"
            and not any(self.rows_left.values())
            and self.user_key != "still there"
            and not self.cache.startswith("found")
            and self.broken_certificate is None
        )


def verify_erasure(*, user: UserRef, erasure_id: UUID, now: datetime) -> Verification:
    """Ask every eraser, the key store, the cache, the record of rewrites.

    Signs stage two once the files are clean, and not before the erasure was looked at once more: until then rows may
    come late, into files that were clean.
    """
    with tenant_scope(user.tenant_id):
        row = ErasureRequest.objects.get(user_id=user.id, id=erasure_id)
        found = Verification(
            erasure_id=erasure_id,
            status=row.status,
            rows_left=count_rows(get_scope(user=user, erasure_id=erasure_id)),
            user_key=_look_at_key(row),
            cache=search_cache(user_id=user.id) if row.scope == "all" else "holds no text of messages",
            storage=judge_storage(user_id=user.id, erasure_id=erasure_id),
            backups_until=_find_backups_end(row),
            broken_certificate=find_broken_certificate(tenant_id=user.tenant_id),
            is_rechecked=row.rechecked_at is not None,
        )
        if found.is_proved and found.is_rechecked and is_clean(found.storage):
            found = _with_certificate(found, user, now)
    return found


def search_cache(*, user_id: UUID) -> str:
    """Whether any key or value in Redis names the user; says how many keys were read. Reads only."""
    import redis  # with its clients of clusters it takes as long as a room; hardly any process verifies an erasure

    marker = str(user_id).encode()
    client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=5)
    try:
        if client.dbsize() > LARGEST_CACHE:
            return f"{NOT_CHECKED}: over {LARGEST_CACHE} keys"
        keys = list(client.scan_iter(count=1_000))
        named = sum(marker in key or any(marker in value for value in _list_values(client, key)) for key in keys)
    except redis.RedisError:
        return f"{NOT_CHECKED}: Redis cannot be reached"
    finally:
        client.close()
    return f"found in {named} of {len(keys)} keys" if named else f"not in any of {len(keys)} keys"


def _list_values(client: Any, key: bytes) -> Iterator[bytes]:
    kind = client.type(key)
    if kind == b"string":
        yield client.get(key) or b""
    elif kind == b"list":
        yield from client.lrange(key, 0, -1)
    elif kind == b"hash":
        yield from (part for pair in client.hgetall(key).items() for part in pair)
    elif kind == b"set":
        yield from client.smembers(key)
    elif kind == b"zset":
        yield from client.zrange(key, 0, -1)


def _look_at_key(row: ErasureRequest) -> str:
    if row.scope != "all":
        return "kept: only a part of the user was erased"
    return look_at_key(row.user_id)


def _find_backups_end(row: ErasureRequest) -> datetime | None:
    return row.completed_at and row.completed_at + timedelta(days=settings.UNDE_BACKUP_RETENTION_DAYS)


def _find_second_stage(found: Verification, user: UserRef) -> ErasureCertificate | None:
    """The certificate of stage two that says of the files what is found now; what is clean since is signed anew."""
    signed = ErasureCertificate.objects.filter(user_id=user.id, erasure_id=found.erasure_id, stage=SECOND_STAGE)
    newest = signed.order_by("-number").first()
    return newest if newest and json.loads(newest.body)["storage"] == found.storage else None


def _with_certificate(found: Verification, user: UserRef, now: datetime) -> Verification:
    certificate = _find_second_stage(found, user) or sign_certificate(
        user=user,
        erasure_id=found.erasure_id,
        stage=SECOND_STAGE,
        content={
            "rows_after": found.rows_left,
            "user_key": found.user_key,
            "cache": found.cache,
            "storage": found.storage,
            "backups": {"hold_it_until": found.backups_until.isoformat() if found.backups_until else None},
        },
        now=now,
    )
    return Verification(
        **{name: getattr(found, name) for name in found.__dataclass_fields__ if name != "certificate"},
        certificate=certificate,
    )
