-- Purpose: imports are claimed and dropped, never more than were asked for.
-- The rows are locked in a CTE of their own: a subquery in FROM or IN may be read once a row of the table that is
-- changed, and each time it locks the next rows, so that more are claimed than were asked for.

-- Imports of any tenant that are due, claimed for a while. One whose row a living worker holds locked is passed over,
-- however long it takes. Index: imports_that_are_open.
CREATE FUNCTION claim_imports_v2(due_at timestamptz, held_until timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, id uuid)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH due AS MATERIALIZED (
    SELECT o.user_id, o.id FROM memory_import o
     WHERE o.status IN ('waiting', 'running') AND o.available_at <= due_at
       AND (o.claimed_until IS NULL OR o.claimed_until <= due_at)
     ORDER BY o.available_at LIMIT at_most FOR UPDATE SKIP LOCKED)
  UPDATE memory_import i SET status = 'running', claimed_until = held_until, attempts = i.attempts + 1
    FROM due WHERE i.user_id = due.user_id AND i.id = due.id
  RETURNING i.tenant_id, i.user_id, i.id
$$;

-- Deletes what is over since before a moment; how many. Index: imports_that_are_over.
CREATE FUNCTION drop_imports_v2(finished_before timestamptz, at_most integer)
RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH old AS MATERIALIZED (
    SELECT o.user_id, o.id FROM memory_import o
     WHERE o.finished_at < finished_before
     ORDER BY o.finished_at LIMIT at_most FOR UPDATE SKIP LOCKED),
  gone AS (
    DELETE FROM memory_import i USING old WHERE i.user_id = old.user_id AND i.id = old.id RETURNING 1)
  SELECT count(*) FROM gone
$$;

DROP FUNCTION claim_imports_v1, drop_imports_v1;
