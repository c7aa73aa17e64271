"""The cast of the suite: Alice has a rich memory, Bob says the same words as another user, Charlie is erased.

`other_tenant` is a second customer of the installation, who must see nothing of the first.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from memory.ids import new_id
from memory.services.drafts import make_draft
from memory.storing.messages import store_message
from memory.storing.types import Recorded
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.types import TenantRef, UserRef

DUBAI = ZoneInfo("Asia/Dubai")


def make_tenant(name: str) -> TenantRef:
    """A tenant of its own for one test."""
    tenant = Tenant.objects.create(slug=f"{name}-{new_id().hex[-8:]}", name=name)
    return TenantRef(id=tenant.id, zone=DUBAI)


@pytest.fixture
def tenant(db: None) -> TenantRef:
    return make_tenant("first")


@pytest.fixture
def other_tenant(db: None) -> TenantRef:
    return make_tenant("second")


@dataclass
class Chatter:
    """One person of the cast: says things, and keeps what the service answered."""

    tenant: TenantRef
    name: str
    conversation: str = "chat"
    said: list[Recorded] = field(default_factory=list)
    clock: datetime = field(default_factory=lambda: timezone.now() - timedelta(hours=1))

    def say(self, content: Any, *, role: str = "user", **more: Any) -> Recorded:
        """Post one message, a minute after the last one unless `created_at` says otherwise."""
        self.clock += timedelta(minutes=1)
        now = more.pop("now", None) or timezone.now()
        draft = make_draft(
            user_id=self.name,
            conversation_id=more.pop("conversation_id", self.conversation),
            role=role,
            content=content,
            now=now,
            created_at=more.pop("created_at", self.clock),
            **more,
        )
        recorded = store_message(tenant=self.tenant, draft=draft, actor="key:test", now=now)
        self.said.append(recorded)
        return recorded

    def hear(self, content: str, **more: Any) -> Recorded:
        """The assistant says something to this person."""
        return self.say(content, role="assistant", **more)

    @property
    def ref(self) -> UserRef:
        """The user as services take it."""
        from memory.selectors.users import get_user

        with tenant_scope(self.tenant.id):
            return get_user(tenant_id=self.tenant.id, external_id=self.name)

    def list_facts(self) -> dict[tuple[str, str], Any]:
        """What is known of this person now: value by (type, key)."""
        from memory.facts.reading import list_active_facts

        with tenant_scope(self.tenant.id):
            return {fact.slot: fact.value for fact in list_active_facts(user=self.ref, now=timezone.now())}

    def read(self, read: Callable[..., Any], **arguments: Any) -> Any:
        """Call a selector as this person's tenant."""
        with tenant_scope(self.tenant.id):
            return read(user=self.ref, **arguments)


def find_by_bucket(tenant: TenantRef, *, slug: str, percent: int) -> tuple[Chatter, Chatter]:
    """Two new users of the tenant: one whom a trial on a share of the users reaches, one whom it does not.

    The bucket follows from an id that is made by chance, so that any two users may have the same.
    """
    from memory.fence.user_lock import enter_user
    from patterns.rollout import get_bucket

    found: dict[bool, Chatter] = {}
    number = 0
    while len(found) < 2:
        person = Chatter(tenant, f"user-{(number := number + 1)}")
        with tenant_scope(tenant.id):
            user = enter_user(tenant_id=tenant.id, external_id=person.name, now=person.clock)
        found.setdefault(get_bucket(slug=slug, user_id=user.id) < percent, person)
    return found[True], found[False]


@pytest.fixture
def alice(tenant: TenantRef) -> Chatter:
    return Chatter(tenant, "alice")


@pytest.fixture
def bob(tenant: TenantRef) -> Chatter:
    return Chatter(tenant, "bob")


@pytest.fixture
def charlie(tenant: TenantRef) -> Chatter:
    return Chatter(tenant, "charlie")


def get_ids(said: list[Recorded]) -> list[UUID]:
    """Message ids of what somebody said, in order."""
    return [recorded.message_id for recorded in said]
