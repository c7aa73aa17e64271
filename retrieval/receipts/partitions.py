"""Receipts' partitions, one a day (D-21)."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import connection, transaction

from retrieval.receipts.reading import RECEIPT_DAYS_KEPT

RECEIPT_DAYS_AHEAD = 14


def prepare_partitions(*, now: datetime) -> int:
    """Make the receipts' partitions of the coming days, drop those past their age (D-21).

    Returns how many were made.
    """
    today = now.date()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT prepare_receipt_partitions_v1(%s::date, %s::integer)", [today, RECEIPT_DAYS_AHEAD])
        made = int(cursor.fetchone()[0])
        cursor.execute("SELECT drop_receipt_partitions_v1(%s::date)", [today - timedelta(days=RECEIPT_DAYS_KEPT)])
    return made
