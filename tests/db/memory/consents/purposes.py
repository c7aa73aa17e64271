"""Purposes for tests."""

from typing import Any

from django.utils import timezone

from memory.consents.purposes import put_purpose
from memory.consents.types import PurposeInput, PurposeView
from memory.tenants.types import Actor, ActorType
from memory.types import TenantRef

STAFF = Actor(type=ActorType.STAFF, id="1")


def make_wanted(key: str, *covers: str, **more: Any) -> PurposeInput:
    """A purpose that does not hold until the user agrees."""
    values: dict[str, Any] = {
        "names": {"en": "Advice", "ru": "Советы", "ar": "نصائح"},
        "texts": {"en": "To help you choose."},
        "is_granted_by_default": False,
        "is_changeable": True,
        "kept_days": None,
    }
    return PurposeInput(key=key, covers=covers, **(values | more))


def put(tenant: TenantRef, key: str, *covers: str, **more: Any) -> PurposeView:
    """Make it for a tenant."""
    return put_purpose(tenant_id=tenant.id, wanted=make_wanted(key, *covers, **more), actor=STAFF, now=timezone.now())
