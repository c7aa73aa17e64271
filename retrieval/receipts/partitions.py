"""Receipts' partitions, one a day (D-21)."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from memory.database.statements import execute, fetch_row


def prepare_partitions(*, now: datetime) -> int:
    """Make the receipts' partitions of the coming days, drop those past their age (D-21).

    Returns how many were made.
    """
    today = now.date()
    ahead, kept = settings.UNDE_TUNING.RECEIPT_DAYS_AHEAD, settings.UNDE_TUNING.RECEIPT_DAYS_KEPT
    with transaction.atomic():
        (made,) = fetch_row("SELECT prepare_receipt_partitions_v1(%s::date, %s::integer)", [today, ahead])
        execute("SELECT drop_receipt_partitions_v1(%s::date)", [today - timedelta(days=kept)])
    return int(made)
