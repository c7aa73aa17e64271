"""script/manage create_tenant"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.errors import CodedError
from memory.tenants.errors import TenantExists
from memory.tenants.services.audit import SYSTEM
from memory.tenants.services.tenants import create_tenant
from patterns.management.command import DescribedCommand


class Command(DescribedCommand):
    help = """Make a tenant: a customer with users, keys and patterns of its own.

example:
  script/manage create_tenant acme --name "Acme Fashion" --timezone Asia/Dubai
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name: lower-case letters, digits, dashes")
        parser.add_argument("--name", help="full name; default: the slug")
        parser.add_argument("--timezone", default="Asia/Dubai", help='time zone for "tomorrow"; default: %(default)s')
        parser.add_argument("--if-missing", action="store_true", help="do not fail if it already exists")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["slug"]
        try:
            tenant = create_tenant(
                slug=slug,
                name=options["name"] or slug,
                timezone=options["timezone"],
                actor=SYSTEM,
                now=timezone.now(),
            )
        except TenantExists:
            if not options["if_missing"]:
                raise CommandError(f"Tenant '{slug}' already exists.") from None
            self.stdout.write(f"tenant '{slug}' exists")
        except CodedError as error:
            raise CommandError(" ".join([error.message, *error.fields.values()])) from None
        else:
            self.stdout.write(f"tenant '{slug}' created, id {tenant.id}")
