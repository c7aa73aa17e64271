-- Purpose: tasks of the index are claimed and swept, never more than were asked for.
-- The rows are locked in a CTE of their own: a subquery in FROM or IN may be read once a row of the table that is
-- changed, and each time it locks the next rows, so that more are claimed than were asked for.

-- Takes up to p_limit due tasks of one model, oldest of the highest priority first, and counts the attempt.
-- A task claimed more than 10 minutes ago counts as due again: its worker died. Index: embedding_tasks_to_claim.
CREATE FUNCTION claim_embedding_tasks_v2(p_model_id smallint, p_now timestamptz, p_limit integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, message_id uuid, attempts smallint)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH due AS MATERIALIZED (
    SELECT e.user_id, e.message_id, e.model_id FROM embedding_task e
     WHERE e.model_id = p_model_id AND e.orphaned_at IS NULL AND e.available_at <= p_now
       AND (e.claimed_at IS NULL OR e.claimed_at < p_now - interval '10 minutes')
     ORDER BY e.priority, e.available_at LIMIT p_limit FOR UPDATE SKIP LOCKED)
  UPDATE embedding_task t SET claimed_at = p_now, attempts = t.attempts + 1
    FROM due WHERE t.user_id = due.user_id AND t.message_id = due.message_id AND t.model_id = due.model_id
  RETURNING t.tenant_id, t.user_id, t.message_id, t.attempts
$$;

-- The sweep of SPEC E-2: what is older than an hour and was tried fewer than 3 times is due now, at recovery priority;
-- what was tried 3 times becomes an orphan. Orphans get another try a day after the last one, at most p_limit at a time:
-- what refused a message may have been mended since. Returns how many were made due, became orphans, are tried again.
CREATE FUNCTION sweep_embedding_tasks_v3(p_now timestamptz, p_limit integer)
RETURNS TABLE (requeued bigint, orphaned bigint, retried bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH old AS MATERIALIZED (
    SELECT e.user_id, e.message_id, e.model_id FROM embedding_task e
     WHERE e.orphaned_at < p_now - interval '23 hours'
     ORDER BY e.orphaned_at LIMIT p_limit FOR UPDATE SKIP LOCKED),
  orphans AS (
    UPDATE embedding_task SET orphaned_at = p_now, claimed_at = NULL
    WHERE orphaned_at IS NULL AND attempts >= 3 AND (claimed_at IS NULL OR claimed_at < p_now - interval '10 minutes')
    RETURNING 1),
  again AS (
    UPDATE embedding_task t SET orphaned_at = NULL, claimed_at = NULL, attempts = 2, priority = 2, available_at = p_now
    FROM old WHERE t.user_id = old.user_id AND t.message_id = old.message_id AND t.model_id = old.model_id
    RETURNING 1),
  late AS (
    UPDATE embedding_task SET priority = 2, available_at = p_now, claimed_at = NULL
    WHERE orphaned_at IS NULL AND attempts < 3 AND received_at < p_now - interval '1 hour'
      AND (claimed_at IS NULL OR claimed_at < p_now - interval '10 minutes')
    RETURNING 1)
  SELECT (SELECT count(*) FROM late), (SELECT count(*) FROM orphans), (SELECT count(*) FROM again)
$$;

DROP FUNCTION claim_embedding_tasks_v1, sweep_embedding_tasks_v2;
