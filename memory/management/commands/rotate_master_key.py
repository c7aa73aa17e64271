"""script/manage rotate_master_key"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError

from memory.outbox.services.endpoints import rewrap_secrets
from memory.sealing.errors import MasterKeyMissing, SealBroken
from memory.sealing.keystore import get_key_store
from memory.tenants.selectors import list_tenants
from patterns.management.command import DescribedCommand

PROGRESS_EVERY = 1_000


class Command(DescribedCommand):
    help = """Wrap the keys of all users, and the webhook secrets, under the current master key (SPEC F-6).

The current one is the first of UNDE_MASTER_KEYS.

To rotate without downtime: put the new key first in UNDE_MASTER_KEYS and keep the old one after it, restart, run this,
then take the old one out. Stop it whenever you like: a second run goes on with what is left.

example:
  UNDE_MASTER_KEYS="2027:<base64>,2026:<base64>" script/manage rotate_master_key
"""

    def handle(self, *args: Any, **options: Any) -> None:
        store = get_key_store()
        seen = changed = failed = 0
        for user_id in store.list():
            seen += 1
            try:
                changed += store.rewrap(user_id)
            except (MasterKeyMissing, SealBroken) as error:
                failed += 1
                self.stderr.write(f"{user_id}: {error.message}")
            if seen % PROGRESS_EVERY == 0:
                self.stdout.write(f"{seen} keys read, {changed} encrypted again")
        self.stdout.write(f"{seen} keys read, {changed} encrypted again, {failed} failed")
        secrets = sum(rewrap_secrets(tenant_id=tenant.id) for tenant in list_tenants())
        self.stdout.write(f"{secrets} webhook secrets encrypted again")
        if failed:
            raise CommandError("Keep the old master keys configured until no key fails.")
