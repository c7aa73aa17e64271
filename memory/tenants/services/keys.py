"""Making, revoking and noting the use of API keys (SPEC A-1)."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError
from django.db.models import Q

from memory.database.statements import execute
from memory.errors import InvalidRequest, NotFound
from memory.ids import new_id
from memory.tenants.errors import KeyExists
from memory.tenants.key_format import hash_key, make_key
from memory.tenants.models import ApiKey, Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import Actor, Caller, NewKey, Scope

_noted: dict[UUID, datetime] = {}
_noted_lock = threading.Lock()


def create_key(
    *,
    tenant: Tenant,
    name: str,
    scopes: Iterable[Scope],
    actor: Actor,
    now: datetime,
    expires_at: datetime | None = None,
    requests_per_minute: int | None = None,
    secret: str | None = None,
    user_id: UUID | None = None,
    user_position: int | None = None,
) -> NewKey:
    """Make a key `unde_<prefix>_<secret>` and return it; the database keeps its hash, so this is the only sight of it.

    With `user_id` the key means this user in every way in. `user_position` says which label of a kept item's namespace
    names the user (D-40). `secret` gives the whole key instead, in any form (development). Raises KeyExists, and
    InvalidRequest when there is no scope. Writes, audited.
    """
    prefix, whole = make_key() if secret is None else ("given", secret)
    granted = sorted({Scope(scope).value for scope in scopes})
    if not granted:
        raise InvalidRequest("A key needs at least one scope.", fields={"scopes": "must not be empty"})
    key = ApiKey(
        id=new_id(),
        tenant=tenant,
        name=name or f"user key {prefix}",
        prefix=prefix,
        key_hash=hash_key(whole),
        scopes=granted,
        requests_per_minute=requests_per_minute,
        expires_at=expires_at,
        user_id=user_id,
        user_position=user_position,
    )
    try:
        with tenant_scope(tenant.id):
            key.save(force_insert=True)
            _audit(key, action="key.create", actor=actor, now=now)
    except IntegrityError:
        raise KeyExists(fields={"name": "is taken by a working key"}) from None
    return NewKey(key_id=key.id, prefix=prefix, secret=whole, expires_at=expires_at)


def revoke_key(*, tenant_id: UUID, key_id: UUID, actor: Actor, now: datetime, user_id: UUID | None = None) -> bool:
    """Stop a key for good, from the next request on. False when it was before. Raises NotFound, also for a key that is
    not for the user who is named. Writes, audited."""
    with tenant_scope(tenant_id):
        key = ApiKey.objects.select_for_update().filter(tenant_id=tenant_id, id=key_id).first()
        if key is None or (user_id is not None and key.user_id != user_id):
            raise NotFound("This key does not exist.")
        if key.revoked_at is not None:
            return False
        key.revoked_at = now
        key.save(update_fields=["revoked_at"])
        _audit(key, action="key.revoke", actor=actor, now=now)
        return True


def note_key_use(*, caller: Caller, now: datetime) -> bool:
    """Set `last_used_at`, at most once a minute and key in this process. True when it wrote.

    Not synchronised to disk: what a crash loses is a minute of a date that people read.
    """
    with _noted_lock:
        last = _noted.get(caller.key_id)
        if last is not None and now - last < settings.UNDE_TUNING.KEY_USE_NOTED_EVERY:
            return False
        _noted[caller.key_id] = now
    with tenant_scope(caller.tenant_id):
        execute("SELECT set_config('synchronous_commit', 'off', true)")
        is_due = Q(last_used_at=None) | Q(last_used_at__lte=now - settings.UNDE_TUNING.KEY_USE_NOTED_EVERY)
        changed = ApiKey.objects.filter(is_due, tenant_id=caller.tenant_id, id=caller.key_id).update(last_used_at=now)
    return changed == 1


def _audit(key: ApiKey, *, action: str, actor: Actor, now: datetime) -> None:
    record_audit_event(
        tenant_id=key.tenant_id, actor=actor, action=action, now=now, object_type="api_key", object_ids=[key.id]
    )
