"""Statements that choose candidates for a snapshot: ids, versions and what they are ordered by. No words."""

from __future__ import annotations

from typing import Final

# Serves a snapshot of now: the facts that share most words with the question, and the newest.
_CURRENT: Final = """
WITH chosen AS (
  (SELECT f.id, f.version FROM project_fact f
   WHERE f.project_id = %(project_id)s AND f.known_to IS NULL AND f.valid_from <= %(moment)s::timestamptz
     AND (f.valid_to IS NULL OR f.valid_to > %(moment)s::timestamptz) AND f.terms && %(terms)s::bigint[]
   ORDER BY (SELECT count(*) FROM unnest(f.terms) t WHERE t = ANY(%(terms)s::bigint[])) DESC, f.valid_from DESC, f.id
   LIMIT %(limit)s)
  UNION
  (SELECT f.id, f.version FROM project_fact f
   WHERE f.project_id = %(project_id)s AND f.known_to IS NULL AND f.valid_from <= %(moment)s::timestamptz
     AND (f.valid_to IS NULL OR f.valid_to > %(moment)s::timestamptz) AND f.status = 'active'
   ORDER BY f.valid_from DESC, f.id LIMIT %(limit)s)
  UNION
  -- Of what begins later: the version that holds until then.
  SELECT o.id, o.version FROM project_fact f
  CROSS JOIN LATERAL (
    SELECT * FROM project_fact o WHERE o.project_id = f.project_id AND o.id = f.id
     AND o.valid_from <= %(moment)s::timestamptz ORDER BY o.version DESC LIMIT 1) o
  WHERE f.project_id = %(project_id)s AND f.known_to IS NULL AND f.valid_from > %(moment)s::timestamptz
    AND (o.valid_to IS NULL OR o.valid_to > %(moment)s::timestamptz))
"""
# Serves a snapshot of a moment: of the versions that were known, the newest that had begun.
_HELD: Final = """
WITH held AS (
  SELECT DISTINCT ON (f.id) f.id, f.version, f.status, f.valid_from, f.valid_to, f.terms FROM project_fact f
  WHERE f.project_id = %(project_id)s AND f.valid_from <= %(moment)s::timestamptz
    AND (%(known_at)s::timestamptz IS NULL OR f.known_from <= %(known_at)s::timestamptz)
  ORDER BY f.id, f.version DESC),
chosen AS (
  SELECT h.id, h.version FROM held h
  WHERE (h.valid_to IS NULL OR h.valid_to > %(moment)s::timestamptz)
    AND (h.status = 'active' OR h.terms && %(terms)s::bigint[])
  ORDER BY (SELECT count(*) FROM unnest(h.terms) t WHERE t = ANY(%(terms)s::bigint[])) DESC, h.valid_from DESC, h.id
  LIMIT %(limit)s)
"""
_DESCRIBE: Final = """
SELECT f.id, f.version, f.level, f.status, f.valid_from, f.terms,
  (SELECT max(s.authority) FROM project_evidence e JOIN project_source s
     ON s.project_id = e.project_id AND s.id = e.source_id WHERE e.project_id = f.project_id AND e.fact_id = f.id)
FROM chosen c JOIN project_fact f ON f.project_id = %(project_id)s AND f.id = c.id AND f.version = c.version
WHERE {visible} ORDER BY f.valid_from DESC, f.id
"""
DECISIONS: Final = """
SELECT d.id, d.decided_at, d.terms, s.state, s.at
FROM project_decision d
JOIN (
  SELECT DISTINCT ON (decision_id) decision_id, state, at FROM project_decision_state
  WHERE project_id = %(project_id)s AND known_to IS NULL AND at <= %(moment)s::timestamptz
  ORDER BY decision_id, at DESC, position DESC) s ON s.decision_id = d.id
WHERE d.project_id = %(project_id)s AND d.known_to IS NULL AND d.sealed IS NOT NULL
"""
"""Serves a snapshot of now: every decision with its state and what it is found by."""


def write_choice(*, is_past: bool, visible: str) -> str:
    """The statement for a snapshot of now, or of a moment."""
    return (_HELD if is_past else _CURRENT) + _DESCRIBE.format(visible=visible)
