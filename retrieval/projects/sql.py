"""Statements that choose candidates for a snapshot: ids, versions and what they are ordered by. No words."""

from __future__ import annotations

from typing import Final

_ROW: Final = "f.id, f.version, f.level, f.status, f.valid_from, f.source_id"
_SHARED: Final = "CASE WHEN f.terms && %(terms)s::bigint[] THEN f.terms ELSE '{}'::bigint[] END"
_OVERLAP: Final = "(SELECT count(*) FROM unnest(f.terms) t WHERE t = ANY(%(terms)s::bigint[]))"
_HOLDS: Final = """f.project_id = %(project_id)s AND f.known_to IS NULL AND f.valid_from <= %(moment)s::timestamptz
     AND (f.valid_to IS NULL OR f.valid_to > %(moment)s::timestamptz)"""
# Serves a snapshot of now: the facts that share most words with the question, and the newest. No table is joined with
# another one, so that a project of yesterday's import, of which the planner knows nothing yet, is read as fast.
CURRENT: Final = f"""
(SELECT {_ROW}, {_SHARED} FROM project_fact f WHERE {_HOLDS} AND f.terms && %(terms)s::bigint[]
 ORDER BY {_OVERLAP} DESC, f.valid_from DESC, f.id LIMIT %(limit)s)
UNION ALL
(SELECT {_ROW}, {_SHARED} FROM project_fact f WHERE {_HOLDS} AND f.status = 'active'
 ORDER BY f.valid_from DESC, f.id LIMIT %(limit)s)
UNION ALL
-- Of what begins later: the version that holds until then.
(SELECT {_ROW}, {_SHARED} FROM project_fact n
 CROSS JOIN LATERAL (
   SELECT * FROM project_fact o WHERE o.project_id = n.project_id AND o.id = n.id
    AND o.valid_from <= %(moment)s::timestamptz ORDER BY o.version DESC LIMIT 1) f
 WHERE n.project_id = %(project_id)s AND n.known_to IS NULL AND n.valid_from > %(moment)s::timestamptz
   AND (f.valid_to IS NULL OR f.valid_to > %(moment)s::timestamptz))
"""
# Serves a snapshot of a moment: of the versions that were known, the newest that had begun.
HELD: Final = f"""
WITH held AS (
  SELECT DISTINCT ON (f.id) f.* FROM project_fact f
  WHERE f.project_id = %(project_id)s AND f.valid_from <= %(moment)s::timestamptz
    AND (%(known_at)s::timestamptz IS NULL OR f.known_from <= %(known_at)s::timestamptz)
  ORDER BY f.id, f.version DESC)
SELECT {_ROW}, {_SHARED} FROM held f
WHERE (f.valid_to IS NULL OR f.valid_to > %(moment)s::timestamptz)
  AND (f.status = 'active' OR f.terms && %(terms)s::bigint[])
ORDER BY {_OVERLAP} DESC, f.valid_from DESC, f.id LIMIT %(limit)s
"""
# Serves a snapshot of now: the decisions that share a word with the question, and of the others those that are worth
# most. Index of the states: project_states_by_time.
DECISIONS: Final = """
WITH held AS MATERIALIZED (
  SELECT d.id, greatest(d.decided_at, s.at) AS at, d.terms, s.state, d.terms && %(terms)s::bigint[] AS is_met
  FROM project_decision d
  CROSS JOIN LATERAL (
    SELECT state, at FROM project_decision_state
    WHERE project_id = d.project_id AND decision_id = d.id AND known_to IS NULL AND at <= %(moment)s::timestamptz
    ORDER BY at DESC, position DESC LIMIT 1) s
  WHERE d.project_id = %(project_id)s AND d.known_to IS NULL AND d.sealed IS NOT NULL),
worth AS MATERIALIZED (
  SELECT h.*, (%(states)s::jsonb ->> h.state)::float8 + %(recency)s::float8
    * power(2, -extract(epoch FROM max(h.at) OVER () - h.at)::float8 / %(half_life)s::float8) AS worth
  FROM held h)
(SELECT id, at, terms, state FROM worth WHERE is_met ORDER BY worth DESC, id LIMIT %(limit)s)
UNION ALL
(SELECT id, at, '{}'::bigint[], state FROM worth WHERE NOT is_met AND state <> ALL(%(closed)s::text[])
 ORDER BY worth DESC, id LIMIT %(limit)s)
"""
