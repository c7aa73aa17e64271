-- Purpose: requests and callbacks that are due are claimed, never more than were asked for.
-- The rows are locked in a CTE of their own: a subquery in FROM or IN may be read once a row of the table that is
-- changed, and each time it locks the next rows, so that more are claimed than were asked for.

-- Requests of any tenant that are due, claimed for a while. Index: privacy_requests_that_are_open.
CREATE FUNCTION claim_privacy_requests_v2(due_at timestamptz, held_until timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH due AS MATERIALIZED (
    SELECT o.tenant_id, o.id FROM privacy_request o
     WHERE o.status IN ('pending', 'in_progress') AND o.available_at <= due_at
       AND (o.claimed_until IS NULL OR o.claimed_until <= due_at)
     ORDER BY o.available_at LIMIT at_most FOR UPDATE SKIP LOCKED)
  UPDATE privacy_request r SET claimed_until = held_until, attempts = r.attempts + 1
    FROM due WHERE r.tenant_id = due.tenant_id AND r.id = due.id
  RETURNING r.tenant_id, r.id
$$;

-- Callbacks of any tenant that are due, claimed for a while. Index: privacy_callbacks_that_wait.
CREATE FUNCTION claim_privacy_callbacks_v2(due_at timestamptz, held_until timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH due AS MATERIALIZED (
    SELECT o.tenant_id, o.id FROM privacy_callback o
     WHERE o.state = 'waiting' AND o.available_at <= due_at AND (o.claimed_until IS NULL OR o.claimed_until <= due_at)
     ORDER BY o.available_at LIMIT at_most FOR UPDATE SKIP LOCKED)
  UPDATE privacy_callback c SET claimed_until = held_until, attempts = c.attempts + 1
    FROM due WHERE c.tenant_id = due.tenant_id AND c.id = due.id
  RETURNING c.tenant_id, c.id
$$;

DROP FUNCTION claim_privacy_requests_v1, claim_privacy_callbacks_v1;
