"""Receipts' partitions, one a day (D-21)."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction


def prepare_partitions(*, now: datetime) -> int:
    """Make the receipts' partitions of the coming days, drop those past their age (D-21).

    Returns how many were made.
    """
    today = now.date()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT prepare_receipt_partitions_v1(%s::date, %s::integer)",
            [today, settings.UNDE_TUNING.RECEIPT_DAYS_AHEAD],
        )
        made = int(cursor.fetchone()[0])
        cursor.execute(
            "SELECT drop_receipt_partitions_v1(%s::date)",
            [today - timedelta(days=settings.UNDE_TUNING.RECEIPT_DAYS_KEPT)],
        )
    return made
