"""script/manage apply_retention"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.erasure.tasks import wake_worker
from memory.retention.selectors import list_over_age
from memory.retention.services import go_on
from memory.tenants.command import CodedCommand
from memory.tenants.models import Tenant
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_tenant
from memory.tenants.services.tenants import read_settings


class Command(CodedCommand):
    help = """Erase what is older than the tenant and its purposes keep it, as the nightly job does (D-54). With
--dry-run nothing changes: it lists what would go by our ids of users, and the sums. An interrupted run goes on where it
stopped.

examples:
  script/manage apply_retention --tenant acme --dry-run
  script/manage apply_retention --tenant acme --dry-run --days 365
  script/manage apply_retention --tenant acme
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--dry-run", action="store_true", help="only say what would go")
        parser.add_argument("--days", type=int, help="with --dry-run: as if the tenant kept messages for so many days")

    def handle(self, *args: Any, **options: Any) -> None:
        tenant = get_tenant(slug=options["tenant"])
        stored, days = read_settings(tenant), options["days"]
        if options["dry_run"]:
            if days is not None and not 1 <= days <= settings.UNDE_TUNING.MAX_RETENTION_DAYS:
                raise CommandError(f"--days must be from 1 to {settings.UNDE_TUNING.MAX_RETENTION_DAYS}.")
            self._list(tenant, stored.retention_days if days is None else days)
        elif days is not None:
            raise CommandError("--days goes with --dry-run. What is kept is set in the console, under Retention.")
        elif not stored.is_retention_on:
            raise CommandError("Retention is off for this tenant. Switch it on in the console, under Retention.")
        else:
            self._run(tenant)

    def _list(self, tenant: Tenant, days: int | None) -> None:
        now, after, limit = timezone.now(), None, settings.UNDE_TUNING.RETENTION_USERS_AT_ONCE
        users = messages = items = 0
        while True:
            with tenant_scope(tenant.id):
                page = list_over_age(tenant_id=tenant.id, days=days, at=now, after=after, limit=limit)
            for one in page:
                self.stdout.write(f"{one.user.id}: {one.messages} messages, {one.items} items")
                users, messages, items = users + 1, messages + one.messages, items + one.items
            if len(page) < limit:
                break
            after = page[-1].user.id
        self.stdout.write(f"would go: {messages} messages and {items} items of {users} users")

    def _run(self, tenant: Tenant) -> None:
        done = 0

        def report(user_id: UUID) -> None:
            nonlocal done
            done += 1
            if done % settings.UNDE_TUNING.RETENTION_USERS_AT_ONCE == 0:
                self.stdout.write(f"{done} users so far")

        run = go_on(tenant=tenant, clock=timezone.now, is_over=lambda: False, after_user=report)
        wake_worker()
        self.stdout.write(
            f"went: {run.messages} messages and {run.items} items of {run.users} users; {run.skipped} users were busy"
        )
