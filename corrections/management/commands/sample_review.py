"""Random instant facts, corrections or messages without facts for the review queue."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from corrections.review.queue import take_in_samples
from corrections.review.sampling import MAX_DAYS, SAMPLED_SOURCES, sample_recent
from memory.errors import CodedError
from memory.tenants.selectors import get_tenant
from patterns.management.command import DescribedCommand


class Command(DescribedCommand):
    help = """Put a random sample of instant facts, corrections or messages without facts into a tenant's review queue.

What is or was in the queue is not drawn again. Samples of extraction come by themselves.

  script/manage sample_review --tenant demo
  script/manage sample_review --tenant demo --source correction --count 20 --days 30
  script/manage sample_review --tenant demo --source message --count 100"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        parser.add_argument("--source", choices=SAMPLED_SOURCES, default="instant", help="default: instant")
        parser.add_argument("--count", type=int, default=50, help="maximum number (default: 50)")
        parser.add_argument("--days", type=int, default=7, help="number of days back (default: 7)")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["days"] <= MAX_DAYS:
            raise CommandError(f"--days must be 1 to {MAX_DAYS}")
        now = timezone.now()
        try:
            tenant = get_tenant(slug=options["tenant"])
            taken = sample_recent(
                tenant_id=tenant.id,
                source=options["source"],
                count=options["count"],
                since=now - timedelta(days=options["days"]),
                now=now,
            )
            take_in_samples(tenant_id=tenant.id)
        except CodedError as error:
            raise CommandError(f"{error.message} {error.fields or ''}".strip()) from None
        self.stdout.write(f"{taken} in the queue")
