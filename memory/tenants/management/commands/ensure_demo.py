"""script/manage ensure_demo"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import CommandError
from django.utils import timezone

from memory.errors import NotFound
from memory.tenants.command import CodedCommand
from memory.tenants.key_format import hash_key
from memory.tenants.models import Tenant
from memory.tenants.password_file import write_password_file
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_key, get_tenant
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.keys import create_key, revoke_key
from memory.tenants.services.staff import create_staff_user, grant_role
from memory.tenants.services.tenants import create_tenant
from memory.tenants.types import INSTALLATION_ID, Role, Scope

SLUG = "demo"
KEY_NAME = "development"
ADMIN = "admin"


class Command(CodedCommand):
    help = """See to it that an embedded installation can be used at once: tenant `demo`, its key UNDE_DEV_API_KEY with
all scopes, and the superuser `admin`, operator of the installation. Changes nothing that is there, except that a new
value of UNDE_DEV_API_KEY takes the place of the old one.

Prints `admin_password=...` and `admin_password_file=...` when it has just made the admin user.

example:
  UNDE_DEV_API_KEY=my-key script/manage ensure_demo
"""

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.UNDE_ENVIRONMENT == "production":
            raise CommandError("The tenant `demo` is only for embedded servers. Create tenants with create_tenant.")
        if not settings.UNDE_DEV_API_KEY:
            raise CommandError("UNDE_DEV_API_KEY is not set: script/server makes one up, or set it yourself.")
        self._ensure_key(self._ensure_tenant())
        self._ensure_admin()

    def _ensure_tenant(self) -> Tenant:
        try:
            return get_tenant(slug=SLUG)
        except NotFound:
            return create_tenant(slug=SLUG, name="Demo", timezone="Asia/Dubai", actor=SYSTEM, now=timezone.now())

    def _ensure_key(self, tenant: Tenant) -> None:
        existing, now = find_key(tenant_id=tenant.id, name=KEY_NAME), timezone.now()
        is_same = existing is not None and bytes(existing.key_hash) == hash_key(settings.UNDE_DEV_API_KEY)
        if existing is not None and is_same and set(existing.scopes) == {scope.value for scope in Scope}:
            return  # a version before may have known fewer scopes
        if existing is not None:
            revoke_key(tenant_id=tenant.id, key_id=existing.id, actor=SYSTEM, now=now)
        create_key(
            tenant=tenant, name=KEY_NAME, scopes=list(Scope), actor=SYSTEM, now=now, secret=settings.UNDE_DEV_API_KEY
        )

    def _ensure_admin(self) -> None:
        if User.objects.filter(username=ADMIN).exists():
            return
        # The file is written before the user is there for good: a failure leaves no user without a known password.
        with tenant_scope(INSTALLATION_ID):
            user, password = create_staff_user(username=ADMIN, is_superuser=True)
            grant_role(user=user, role=Role.OPERATOR, tenant=None, actor=SYSTEM, now=timezone.now())
            path = write_password_file(username=ADMIN, password=password or "")
        self.stdout.write(f"admin_password={password}\nadmin_password_file={path}")
