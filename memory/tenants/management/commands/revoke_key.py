"""script/manage revoke_key"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.tenants.command import CodedCommand
from memory.tenants.selectors import find_key, get_tenant
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.keys import revoke_key


class Command(CodedCommand):
    help = """Revoke the working API key of that name, from the next request on.

example:
  script/manage revoke_key acme web
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tenant", help="slug of the tenant")
        parser.add_argument("name", help="name of the key")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = get_tenant(slug=options["tenant"])
        key = find_key(tenant_id=tenant.id, name=options["name"])
        if key is None:
            raise CommandError(f"There is no active key '{options['name']}' in '{tenant.slug}'.")
        revoke_key(tenant_id=tenant.id, key_id=key.id, actor=SYSTEM, now=timezone.now())
        self.stdout.write(f"key '{key.name}' ({key.prefix}) revoked")
