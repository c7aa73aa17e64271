"""What both commands of the offline measures share: arguments, progress, interruption, going on."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from corrections.models import QualityRun
from corrections.quality.offline.running import Step, go_on, open_run, read_counts
from memory.tenants.command import CodedCommand
from memory.tenants.selectors import get_tenant


class OfflineCommand(CodedCommand):
    """A command that measures one indicator of a tenant over stored data."""

    indicator: ClassVar[str]
    counted: ClassVar[str]
    """What counts against memory, in the plural."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument(
            "--share", type=float, default=1.0, help="of the users to look at, above 0 to 1 (default: 1)"
        )
        parser.add_argument(
            "--restart", action="store_true", help="begin again instead of going on with an interrupted run"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 < options["share"] <= 1:
            raise CommandError("--share is a number above 0 and at most 1.")
        try:
            tenant, now = get_tenant(slug=options["tenant"]), timezone.now()
            run = open_run(
                tenant_id=tenant.id,
                indicator=self.indicator,
                share=options["share"],
                now=now,
                is_anew=options["restart"],
            )
            self.begin(run)
            for step in go_on(run, clock=timezone.now):
                self.tell(step, is_each=options["verbosity"] > 1)
        except KeyboardInterrupt:
            raise CommandError("Interrupted. The same command goes on from here.", returncode=130) from None
        self.conclude(run)

    def begin(self, run: QualityRun) -> None:
        """Say what is counted, and from where on."""
        where = f"going on after {run.users} users" if run.users else "from the beginning"
        share = "all users" if run.share == 1 else f"{run.share:.0%} of the users"
        self.stdout.write(f"{self.indicator} as of {run.began_at:%Y-%m-%d %H:%M:%S} UTC, {share}, {where}")

    def tell(self, step: Step, *, is_each: bool) -> None:
        """How far it is: each user, or every fiftieth."""
        if is_each or step.users % settings.UNDE_TUNING.OFFLINE_TOLD_EVERY == 0:
            self.stdout.write(f"  {step.users} users, {step.n} exchanges, {step.bad} {self.counted}")
            self.stdout.flush()

    def conclude(self, run: QualityRun) -> None:
        """The figure, by language too. Ends with 1 when users could not be read."""
        counts = read_counts(run)
        for language, (n, bad) in sorted(counts.by_language.items(), key=lambda each: -each[1][0]):
            self.stdout.write(f"  {language}: {bad} of {n} ({bad / n:.1%})")
        said = f"{counts.bad} of {counts.n} exchanges ({counts.bad / counts.n:.1%})" if counts.n else "no exchange"
        self.stdout.write(f"{self.indicator}: {said}, {run.users} users")
        if run.skipped:
            raise CommandError(f"{run.skipped} users could not be read.")
