"""Addresses that want events: made, changed, their secrets, on and off. Every change is audited."""

from __future__ import annotations

import base64
import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings

from memory.errors import Conflict, InvalidRequest
from memory.ids import new_id
from memory.outbox.models import WebhookEndpoint
from memory.outbox.selectors import get_endpoint
from memory.outbox.types import EVENT_TYPES
from memory.sealing.keyring import MasterKeyring
from memory.tenants.scope import tenant_scope
from memory.tenants.services.audit import record_audit_event
from memory.tenants.types import Actor

SECRET_BYTES: Final = 32
SECRET_PREFIX: Final = "whsec_"


class TooManyEndpoints(Conflict):
    """A tenant has as many addresses as it may have."""

    code = "too_many_webhooks"
    default_message = "A tenant may have so many webhooks and no more. Delete one first."


@dataclass(frozen=True, slots=True)
class PutEndpoint:
    """What became of a PUT. `secret` is there when the endpoint is new: it is shown once."""

    endpoint: WebhookEndpoint
    secret: str | None


def put_endpoint(
    *,
    tenant_id: UUID,
    external_id: str,
    url: str,
    events: Sequence[str],
    description: str,
    actor: Actor,
    now: datetime,
) -> PutEndpoint:
    """Make an endpoint, or change what it wants; a disabled one is on again. Writes.

    `url` was looked at by the caller. Raises InvalidRequest for an unknown type, TooManyEndpoints.
    """
    check_events(events)
    with tenant_scope(tenant_id):
        row = WebhookEndpoint.objects.filter(tenant_id=tenant_id, external_id=external_id).first()
        secret = None
        if row is None:
            if WebhookEndpoint.objects.filter(tenant_id=tenant_id).count() >= settings.UNDE_TUNING.MAX_WEBHOOKS:
                raise TooManyEndpoints
            row = WebhookEndpoint(id=new_id(), tenant_id=tenant_id, external_id=external_id, created_at=now)
            secret = make_secret()
            row.secret = wrap_secret(secret, endpoint_id=row.id)
        row.url, row.events, row.description = url, list(dict.fromkeys(events)), description
        row.disabled_at, row.disabled_reason, row.failing_since, row.updated_at = None, "", None, now
        row.save(force_insert=secret is not None)
        _audit(row, "webhook.create" if secret else "webhook.change", actor, now)
    return PutEndpoint(row, secret)


def check_events(events: Sequence[str]) -> None:
    """Raise InvalidRequest unless each is a type, a family like `fact.*`, or `*`."""
    families = {f"{name.partition('.')[0]}.*" for name in EVENT_TYPES}
    for place, name in enumerate(events):
        if name not in EVENT_TYPES and name not in families and name != "*":
            raise InvalidRequest(fields={f"events[{place}]": "is no type of event; see GET /v1/events"})
    if not events:
        raise InvalidRequest(fields={"events": "must name at least one type, or *"})


def rotate_secret(
    *, tenant_id: UUID, external_id: str, actor: Actor, now: datetime, digest: bytes | None = None
) -> tuple[str, datetime]:
    """A new secret, and until when the former one goes on signing beside it: a day, so that nothing is lost. Writes.

    The same `digest` within that day is the same change: its secret again. Raises NotFound.
    """
    with tenant_scope(tenant_id):
        found = get_endpoint(tenant_id=tenant_id, external_id=external_id)
        row = WebhookEndpoint.objects.select_for_update().get(tenant_id=tenant_id, id=found.id)
        if _is_repeated(row, digest, now) and row.former_until is not None:
            return list_secrets(row, now=now)[0], row.former_until
        secret, until = make_secret(), now + timedelta(hours=settings.UNDE_TUNING.WEBHOOK_OVERLAP_HOURS)
        row.former_secret, row.former_until, row.rotation_digest = row.secret, until, digest
        row.secret, row.updated_at = wrap_secret(secret, endpoint_id=row.id), now
        row.save(update_fields=["former_secret", "former_until", "rotation_digest", "secret", "updated_at"])
        _audit(row, "webhook.rotate", actor, now)
    return secret, until


def _is_repeated(row: WebhookEndpoint, digest: bytes | None, now: datetime) -> bool:
    if digest is None or row.rotation_digest is None or row.former_until is None:
        return False
    return now < row.former_until and hmac.compare_digest(bytes(row.rotation_digest), digest)


def delete_endpoint(*, tenant_id: UUID, external_id: str, actor: Actor, now: datetime) -> None:
    """Delete an endpoint with its delivery log. Raises NotFound."""
    with tenant_scope(tenant_id):
        row = get_endpoint(tenant_id=tenant_id, external_id=external_id)
        WebhookEndpoint.objects.filter(tenant_id=tenant_id, id=row.id).delete()
        _audit(row, "webhook.delete", actor, now)


def set_enabled(*, tenant_id: UUID, external_id: str, is_enabled: bool, actor: Actor, now: datetime) -> None:
    """Switch an endpoint on or off. Waiting events stay and go out when it is on again. Raises NotFound. Writes."""
    with tenant_scope(tenant_id):
        row = get_endpoint(tenant_id=tenant_id, external_id=external_id)
        row.disabled_at, row.disabled_reason = (None, "") if is_enabled else (now, "by_hand")
        row.failing_since, row.updated_at = None, now
        row.save(update_fields=["disabled_at", "disabled_reason", "failing_since", "updated_at"])
        _audit(row, "webhook.enable" if is_enabled else "webhook.disable", actor, now)


def make_secret() -> str:
    """A fresh secret in the form of Standard Webhooks: `whsec_` and base64 of 32 random bytes."""
    return SECRET_PREFIX + base64.b64encode(os.urandom(SECRET_BYTES)).decode()


def wrap_secret(secret: str, *, endpoint_id: UUID) -> bytes:
    """The secret as it is stored: encrypted under the master key, bound to its endpoint."""
    raw = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    return MasterKeyring.parse(settings.UNDE_MASTER_KEYS).wrap(raw, user_id=endpoint_id)


def list_secrets(endpoint: WebhookEndpoint, *, now: datetime) -> list[str]:
    """The secrets that a delivery is signed with now: one, or two while a former one is still good."""
    keyring = MasterKeyring.parse(settings.UNDE_MASTER_KEYS)
    wrapped = [endpoint.secret]
    if endpoint.former_secret is not None and endpoint.former_until is not None and now < endpoint.former_until:
        wrapped.append(endpoint.former_secret)
    opened = [keyring.unwrap(bytes(each), user_id=endpoint.id) for each in wrapped]
    return [SECRET_PREFIX + base64.b64encode(raw).decode() for raw in opened]


def rewrap_secrets(*, tenant_id: UUID) -> int:
    """Wrap the tenant's secrets under the current master key; how many were under another (SPEC F-6). Writes."""
    keyring, changed = MasterKeyring.parse(settings.UNDE_MASTER_KEYS), 0
    with tenant_scope(tenant_id):
        for row in WebhookEndpoint.objects.select_for_update().filter(tenant_id=tenant_id):
            for name in ("secret", "former_secret"):
                wrapped = getattr(row, name)
                if wrapped is not None and keyring.get_key_id(bytes(wrapped)) != keyring.current_id:
                    opened = keyring.unwrap(bytes(wrapped), user_id=row.id)
                    setattr(row, name, keyring.wrap(opened, user_id=row.id))
                    changed += 1
            row.save(update_fields=["secret", "former_secret"])
    return changed


def _audit(row: WebhookEndpoint, action: str, actor: Actor, now: datetime) -> None:
    record_audit_event(
        tenant_id=row.tenant_id, actor=actor, action=action, now=now, object_type="webhook", object_ids=[row.id]
    )
