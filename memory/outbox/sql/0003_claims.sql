-- Purpose: deliveries that are due are claimed, never more than were asked for.
-- The rows are locked in a CTE of their own: a subquery in FROM or IN may be read once a row of the table that is
-- changed, and each time it locks the next rows, so that more are claimed than were asked for.

-- Deliveries that are due, claimed for a while: whoever dies with them leaves them to the next. Index: deliveries_that_wait.
CREATE FUNCTION claim_deliveries_v2(due_at timestamptz, held_until timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH due AS MATERIALIZED (
    SELECT w.tenant_id, w.id FROM webhook_delivery w JOIN webhook_endpoint p ON p.tenant_id = w.tenant_id AND p.id = w.endpoint_id
     WHERE w.state = 'waiting' AND w.available_at <= due_at AND (w.claimed_until IS NULL OR w.claimed_until <= due_at)
       AND p.disabled_at IS NULL
     ORDER BY w.available_at LIMIT at_most FOR UPDATE OF w SKIP LOCKED)
  UPDATE webhook_delivery d SET claimed_until = held_until, attempts = d.attempts + 1
    FROM due WHERE d.tenant_id = due.tenant_id AND d.id = due.id
  RETURNING d.tenant_id, d.id
$$;

DROP FUNCTION claim_deliveries_v1;
