"""What counts as a use of a fact, and how it was judged (SPEC P-9, C-4). Reads only; in a tenant scope.

A use is a pack with the fact that somebody judged: the app or the user called the fact used, confirmed, unused or
corrected, or a reply of the user put it in doubt. What a rule read off a reply (`is_computed`) judges nothing. A pack
counts once: as corrected, else as positive (used, confirmed), else as unused.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from uuid import UUID

from django.conf import settings

from corrections.quality.calibration.rules import Uses
from memory.database.statements import fetch_rows
from memory.types import UserRef

# What was said of a fact and of which pack. A doubt without a pack is a use of its own. Indexes: signals_about_a_fact,
# the primary keys of memory_correction_log and memory_message.
_SIGNALS: Final = """
  SELECT f.user_id, f.fact_id, f.receipt_id AS use_id, f.created_at AS at,
         CASE f.signal WHEN 'corrected' THEN 3 WHEN 'unused' THEN 1 ELSE 2 END AS verdict
    FROM retrieval_feedback f
   WHERE {user} AND f.fact_id IS NOT NULL AND NOT f.is_computed AND f.created_at BETWEEN %(since)s AND %(now)s
  UNION ALL
  SELECT f.user_id, f.disputed_knowledge_id, coalesce(m.receipt_id, f.trigger_message_id), f.created_at, 3
    FROM memory_correction_log f
    LEFT JOIN memory_message m ON (m.user_id, m.id) = (f.user_id, f.corrected_message_id)
   WHERE {user} AND f.disputed_knowledge_id IS NOT NULL AND f.created_at BETWEEN %(since)s AND %(now)s
"""
# A use counts for one adjustment: what came before the last one is done with. Against a fact counts what came after it
# was last said or confirmed. That nobody needed an allergy or a ban says nothing: they work by what is not offered.
# Index: calibrations_of_a_fact.
_USES: Final = f"""
WITH uses AS (
  SELECT DISTINCT ON (s.fact_id, s.use_id) s.fact_id, s.verdict, s.at
    FROM ({_SIGNALS.format(user="f.user_id = %(user_id)s")}) s
   ORDER BY s.fact_id, s.use_id, s.verdict DESC, s.at DESC),
last AS (
  SELECT DISTINCT ON (a.detail ->> 'fact_id') (a.detail ->> 'fact_id')::uuid AS fact_id, a.recorded_at,
         (a.detail ->> 'night')::date AS night
    FROM memory_action a WHERE a.user_id = %(user_id)s AND a.kind = 'calibrate' AND a.detail ? 'night'
   ORDER BY a.detail ->> 'fact_id', a.position DESC)
SELECT u.fact_id, count(*), count(*) FILTER (WHERE u.verdict = 2), count(*) FILTER (WHERE u.verdict = 3), max(l.night)
  FROM uses u
  JOIN user_knowledge k ON k.user_id = %(user_id)s AND k.id = u.fact_id AND k.is_active
  LEFT JOIN last l ON l.fact_id = u.fact_id
 WHERE (l.recorded_at IS NULL OR u.at > l.recorded_at)
   AND (u.verdict = 2 OR u.at > k.last_validated_at)
   AND (u.verdict <> 1 OR k.knowledge_type NOT IN ('allergy', 'hard_ban'))
 GROUP BY u.fact_id
"""
# Users with a fact that was judged often enough to be adjusted, perhaps. Index: what_was_said_of_facts.
_USERS: Final = f"""
SELECT DISTINCT t.user_id FROM (
  SELECT s.user_id, s.fact_id FROM ({_SIGNALS.format(user="f.tenant_id = %(tenant)s AND f.user_id > %(after)s")}) s
   GROUP BY s.user_id, s.fact_id HAVING count(DISTINCT s.use_id) >= %(least)s) t
 ORDER BY t.user_id LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class JudgedFact:
    """A fact that packs carried and people judged. `night`: of its last adjustment."""

    fact_id: UUID
    uses: Uses
    night: date | None


def list_judged_facts(*, user: UserRef, now: datetime) -> list[JudgedFact]:
    """The user's active facts with uses that no adjustment has counted yet."""
    rows = fetch_rows(_USES, {"user_id": user.id, **_name_window(now)})
    return [JudgedFact(row[0], Uses(row[1], row[2], row[3]), row[4]) for row in rows]


def list_judged_users(*, tenant_id: UUID, after: UUID, now: datetime) -> list[UUID]:
    """The next users of the tenant whom a night should look at, in the order of their ids."""
    tuning = settings.UNDE_TUNING
    least = min(tuning.CALIBRATION_RAISE[0], tuning.CALIBRATION_CORRECTED[0], tuning.CALIBRATION_UNUSED[0])
    most = tuning.CALIBRATION_USERS_AT_ONCE
    values = {"tenant": tenant_id, "after": after, "least": least, "most": most, **_name_window(now)}
    return [row[0] for row in fetch_rows(_USERS, values)]


def _name_window(now: datetime) -> dict[str, datetime]:
    return {"since": now - settings.UNDE_TUNING.CALIBRATION_LOOK_BACK, "now": now}
