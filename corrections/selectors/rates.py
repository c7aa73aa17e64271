"""How often users correct memory: by language, type and day (SPEC C-3, KSP fix 11). Reads only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from memory.database.statements import fetch_row, fetch_rows


@dataclass(frozen=True, slots=True)
class DailyCorrections:
    """Correcting messages of one day, language and type, and what they did."""

    day: date
    language: str
    correction_type: str
    corrections: int
    facts_deactivated: int


@dataclass(frozen=True, slots=True)
class LanguageRate:
    """Corrections among the user messages of one language. `rate` is None where there was no message."""

    language: str
    user_messages: int
    corrections: int
    facts_deactivated: int

    @property
    def rate(self) -> float | None:
        """Correcting messages over user messages, 0 to 1."""
        return self.corrections / self.user_messages if self.user_messages else None


# Index: corrections_of_a_tenant_by_time.
_DAILY = """
SELECT (created_at AT TIME ZONE %s)::date, language, correction_type, count(DISTINCT trigger_message_id),
       count(deactivated_knowledge_id)
  FROM memory_correction_log WHERE tenant_id = %s AND created_at >= %s AND created_at < %s
 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""

# Index: corrections_of_a_tenant_by_time; messages of the tenant are counted by when they came.
_BY_LANGUAGE = """
WITH said AS (
  SELECT language, count(*) AS messages FROM memory_message
   WHERE tenant_id = %s AND role = 'user' AND received_at >= %s AND received_at < %s GROUP BY language),
corrected AS (
  SELECT language, count(DISTINCT trigger_message_id) AS corrections, count(deactivated_knowledge_id) AS deactivated
    FROM memory_correction_log WHERE tenant_id = %s AND created_at >= %s AND created_at < %s GROUP BY language)
SELECT language, coalesce(messages, 0), coalesce(corrections, 0), coalesce(deactivated, 0)
  FROM said FULL JOIN corrected USING (language) WHERE language <> '' ORDER BY 1
"""

# D-26: facts that extraction made and a correction took back as wrong, over all that it made.
_BATCH = """
SELECT (SELECT count(*) FROM user_knowledge k WHERE k.tenant_id = %s AND k.extracted_from = 'batch'
           AND k.created_at >= %s AND k.created_at < %s),
       (SELECT count(DISTINCT k.id) FROM memory_correction_log c JOIN user_knowledge k
           ON k.user_id = c.user_id AND k.id = c.deactivated_knowledge_id AND k.extracted_from = 'batch'
         WHERE c.tenant_id = %s AND c.correction_type IN ('user_denied', 'wrong_subject')
           AND c.created_at >= %s AND c.created_at < %s)
"""


def list_daily_corrections(
    *, tenant_id: UUID, since: datetime, until: datetime, zone: ZoneInfo
) -> list[DailyCorrections]:
    """Corrections of a tenant in [since, until), a row for each local day, language and type that had any."""
    return [DailyCorrections(*row) for row in fetch_rows(_DAILY, [str(zone), tenant_id, since, until])]


def list_rates_by_language(*, tenant_id: UUID, since: datetime, until: datetime) -> list[LanguageRate]:
    """Correcting messages over user messages, by language: what the alert on one language against another needs."""
    return [LanguageRate(*row) for row in fetch_rows(_BY_LANGUAGE, [tenant_id, since, until, tenant_id, since, until])]


def count_corrections(*, tenant_id: UUID, since: datetime, until: datetime) -> int:
    """Correcting messages of a tenant: one that corrects in two ways is one. Index: corrections_of_a_tenant_by_time."""
    return int(
        fetch_row(
            "SELECT count(DISTINCT trigger_message_id) FROM memory_correction_log"
            " WHERE tenant_id = %s AND created_at >= %s AND created_at < %s",
            [tenant_id, since, until],
        )[0]
    )


def count_batch_facts(*, tenant_id: UUID, since: datetime, until: datetime) -> tuple[int, int]:
    """Facts that extraction made, and how many facts of extraction corrections took back as wrong (D-26)."""
    made, taken_back = fetch_row(_BATCH, [tenant_id, since, until] * 2)
    return int(made), int(taken_back)
