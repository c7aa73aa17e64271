"""script/manage verify_audit_trail"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory.tenants.command import CodedCommand
from memory.tenants.selectors import find_broken_audit_event, get_tenant, list_tenants
from memory.tenants.types import INSTALLATION_ID


class Command(CodedCommand):
    help = """Follow the sealed audit trail from its beginning and say where it does not hold (D-29). Changes nothing.

examples:
  script/manage verify_audit_trail
  script/manage verify_audit_trail acme
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tenant", nargs="?", help="slug; default: all tenants and the installation")

    def handle(self, *args: Any, **options: Any) -> None:
        tenants = [get_tenant(slug=options["tenant"])] if options["tenant"] else list_tenants()
        trails = {tenant.slug: tenant.id for tenant in tenants}
        if not options["tenant"]:
            trails["(installation)"] = INSTALLATION_ID
        broken = {name: find_broken_audit_event(tenant_id=tenant_id) for name, tenant_id in trails.items()}
        for name, event_id in broken.items():
            self.stdout.write(f"{name}: " + (f"broken at event {event_id}" if event_id else "holds"))
        if any(broken.values()):
            raise CommandError("An audit trail was changed after it was sealed.")
