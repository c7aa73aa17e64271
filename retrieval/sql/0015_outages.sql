-- Purpose: a provider of vectors that is away is left alone for a while and costs no message one of its tries (SPEC E-2).
ALTER TABLE embedding_model
  ADD COLUMN outages smallint NOT NULL DEFAULT 0,
  ADD COLUMN failing_since timestamptz,
  ADD COLUMN resting_until timestamptz,
  ADD COLUMN failure_code varchar(60) NOT NULL DEFAULT '',
  ADD CONSTRAINT a_provider_rests_only_in_an_outage CHECK (
    (outages = 0) = (failing_since IS NULL) AND (outages = 0) = (resting_until IS NULL) AND outages >= 0);

-- As v1, and orphans get another try a day after the last one, at most p_limit at a time: what refused a message may have
-- been mended since. Returns how many were made due, became orphans, are tried again.
CREATE FUNCTION sweep_embedding_tasks_v2(p_now timestamptz, p_limit integer)
RETURNS TABLE (requeued bigint, orphaned bigint, retried bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH orphans AS (
    UPDATE embedding_task SET orphaned_at = p_now, claimed_at = NULL
    WHERE orphaned_at IS NULL AND attempts >= 3 AND (claimed_at IS NULL OR claimed_at < p_now - interval '10 minutes')
    RETURNING 1),
  again AS (
    UPDATE embedding_task t SET orphaned_at = NULL, claimed_at = NULL, attempts = 2, priority = 2, available_at = p_now
    FROM (SELECT e.user_id, e.message_id, e.model_id FROM embedding_task e
           WHERE e.orphaned_at < p_now - interval '23 hours'
           ORDER BY e.orphaned_at LIMIT p_limit FOR UPDATE SKIP LOCKED) old
    WHERE t.user_id = old.user_id AND t.message_id = old.message_id AND t.model_id = old.model_id
    RETURNING 1),
  late AS (
    UPDATE embedding_task SET priority = 2, available_at = p_now, claimed_at = NULL
    WHERE orphaned_at IS NULL AND attempts < 3 AND received_at < p_now - interval '1 hour'
      AND (claimed_at IS NULL OR claimed_at < p_now - interval '10 minutes')
    RETURNING 1)
  SELECT (SELECT count(*) FROM late), (SELECT count(*) FROM orphans), (SELECT count(*) FROM again)
$$;
