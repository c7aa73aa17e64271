"""script/manage verify_erasure"""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.erasure.selectors import find_erasure_owner, find_last_erasure_of_subject, read_certificate
from memory.erasure.verification import Verification, verify_erasure
from memory.tenants.command import CodedCommand
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_tenant
from memory.types import UserRef


class Command(CodedCommand):
    help = """Prove an erasure: ask every eraser, the key store, Redis, the record of rewritten files, and the chain of
certificates. Once every table was rewritten (see rewrite_storage) it signs the certificate's second stage.
Ends with 1 when anything is found. What cannot be seen from here is said to be "not checked".

examples:
  script/manage verify_erasure --tenant acme --erasure 01934a3e-...
  script/manage verify_erasure --tenant acme --user customer-42 --json
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--erasure", type=UUID, help="id of the erasure")
        which.add_argument("--user", help="your id of a user who was erased completely")
        parser.add_argument("--json", action="store_true", help="print the newest certificate as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = get_tenant(slug=options["tenant"])
        user, erasure_id = self.find(tenant, options)
        found = verify_erasure(user=user, erasure_id=erasure_id, now=timezone.now())
        self.report(found)
        if options["json"] and found.certificate:
            self.stdout.write(json.dumps(read_certificate(found.certificate), indent=2, sort_keys=True))
        if not found.is_proved:
            raise CommandError("The erasure is not proved.")

    def find(self, tenant: Tenant, options: dict[str, Any]) -> tuple[UserRef, UUID]:
        """The erasure that is meant."""
        with tenant_scope(tenant.id):
            if options["erasure"]:
                owner = find_erasure_owner(tenant_id=tenant.id, erasure_id=options["erasure"])
                if owner:
                    return owner, options["erasure"]
            else:
                view = find_last_erasure_of_subject(tenant_id=tenant.id, external_id=options["user"])
                if view:
                    return UserRef(id=view.user_id, tenant_id=tenant.id), view.id
        raise CommandError("This erasure does not exist in this tenant.")

    def report(self, found: Verification) -> None:
        """The findings, a line each."""
        self.stdout.write(f"erasure {found.erasure_id}: {found.status}")
        for name, count in found.rows_left.items():
            self.stdout.write(f"  rows of {name}: {count}")
        self.stdout.write(f"  key of the user: {found.user_key}")
        self.stdout.write(f"  cache: {found.cache}")
        for name, said in found.storage.items():
            self.stdout.write(f"  files of {name}: {said}")
        if found.backups_until:
            self.stdout.write(f"  backups may hold it until {found.backups_until.isoformat()}")
        fault = found.broken_certificate
        self.stdout.write(
            f"  certificates: {fault.certificate_id} does not hold ({fault.fault})" if fault else "  certificates: hold"
        )
        if found.status == "completed" and not found.is_rechecked:
            self.stdout.write("  second stage: not before the second look, ten to 25 minutes after its completion")
        if found.certificate:
            self.stdout.write(f"  second stage signed at {found.certificate.signed_at.isoformat()}")
