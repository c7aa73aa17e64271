"""Notes how a drill of a fail-over went: nothing else can tell (SPEC O-3, Q-2)."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone

from corrections.quality.measuring import FAILOVER, Figure, note_levels
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import list_tenants
from patterns.management.command import DescribedCommand


class Command(DescribedCommand):
    help = (
        "Note a drill of a fail-over for the service level of every tenant.\n\n"
        "Example: script/manage note_failover --seconds 12.5 --lost-seconds 0"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--seconds", type=float, required=True, help="until writes went on")
        parser.add_argument("--lost-seconds", type=float, required=True, help="of acknowledged writes that were lost")

    def handle(self, *args: Any, **options: Any) -> None:
        seconds, lost = options["seconds"], options["lost_seconds"]
        if not (0 <= seconds < float("inf") and 0 <= lost < float("inf")):
            raise CommandError("Seconds are numbers from 0 on.")
        tuning, now = settings.UNDE_TUNING, timezone.now()
        share = max(seconds / tuning.FAILOVER_SECONDS, lost / tuning.FAILOVER_LOST_SECONDS)
        for tenant in list_tenants():
            with tenant_scope(tenant.id):
                note_levels(tenant_id=tenant.id, figures={FAILOVER: Figure(share, 1)}, now=now)
        self.stdout.write(f"Noted: {share:.0%} of what is allowed.")
