-- Purpose: erasures and works on facts are claimed, never more than were asked for.
-- The rows are locked in a CTE of their own: a subquery in FROM or IN may be read once a row of the table that is
-- changed, and each time it locks the next rows, so that more are claimed than were asked for.

-- Takes due erasures, nearest deadline first, and hides each from other workers for the length of the lease: a worker
-- that dies gives it back by dying. Index: erasures_to_do.
CREATE FUNCTION claim_erasures_v2(claimed_at timestamptz, lease interval, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, erasure_id uuid)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH due AS MATERIALIZED (
    SELECT q.user_id, q.id FROM erasure_request q
     WHERE q.status <> 'completed' AND q.available_at <= claimed_at
     ORDER BY q.deadline_at LIMIT at_most FOR UPDATE SKIP LOCKED)
  UPDATE erasure_request r SET available_at = claimed_at + lease, attempts = r.attempts + 1
    FROM due WHERE r.user_id = due.user_id AND r.id = due.id
  RETURNING r.tenant_id, r.user_id, r.id
$$;

-- Workers see across tenants only through this: open works that no worker is at, each given out once (D-14).
CREATE FUNCTION claim_fact_jobs_v2(claimed_at timestamptz, stale_before timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, job_id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH due AS MATERIALIZED (
    SELECT w.id FROM memory_fact_job w
     WHERE w.state = 'queued' OR (w.state = 'running' AND w.heartbeat_at < stale_before)
     ORDER BY w.id LIMIT at_most FOR UPDATE SKIP LOCKED)
  UPDATE memory_fact_job j SET state = 'running', heartbeat_at = claim_fact_jobs_v2.claimed_at
    FROM due WHERE j.id = due.id
  RETURNING j.tenant_id, j.id
$$;

DROP FUNCTION claim_erasures_v1, claim_fact_jobs_v1;
