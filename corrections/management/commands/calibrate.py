"""script/manage calibrate"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from corrections.models import CalibrationNight
from corrections.quality.calibration.night import run_night
from memory.tenants.command import CodedCommand
from memory.tenants.models import Tenant
from memory.tenants.selectors import get_tenant, list_tenants


class Command(CodedCommand):
    help = """Do now what the night does: move the confidence of facts by what people said of packs, and merge tastes
that are alike. One transaction a user. What is interrupted goes on where it stopped; a night that is over is not done
a second time.

examples:
  script/manage calibrate
  script/manage calibrate --tenant acme
"""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", help="slug of the tenant; default: all tenants")

    def handle(self, *args: Any, **options: Any) -> None:
        for tenant in self._list_tenants(options["tenant"]):
            try:
                night = run_night(tenant_id=tenant.id, now=timezone.now(), may_go_on=self._report(tenant.slug))
            except KeyboardInterrupt:
                raise CommandError("Interrupted. Start it again to go on.", returncode=130) from None
            self.stdout.write(f"{tenant.slug}: {describe_night(night)}")

    def _list_tenants(self, slug: str | None) -> list[Tenant]:
        if not slug:
            return list_tenants()
        return [get_tenant(slug=slug)]

    def _report(self, slug: str) -> Callable[[], bool]:
        seen = 0

        def go_on() -> bool:
            nonlocal seen
            if seen and seen % settings.UNDE_TUNING.CALIBRATION_REPORTED == 0:
                self.stdout.write(f"{slug}: {seen} users")
            seen += 1
            return True

        return go_on


def describe_night(night: CalibrationNight | None) -> str:
    """A night in words. Pure."""
    if night is None:
        return "calibration is off in the settings"
    return (
        f"night of {night.night}: {night.users} users, {night.raised} facts raised, {night.lowered} lowered, "
        f"{night.to_remove} to decide, {night.merged} tastes merged, {night.left_out} users left for the next night"
    )
