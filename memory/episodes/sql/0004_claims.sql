-- Purpose: episodes to be worded are claimed, never more than were asked for.
-- The rows are locked in a CTE of their own: a subquery in FROM or IN may be read once a row of the table that is
-- changed, and each time it locks the next rows, so that more are claimed than were asked for.

-- Episodes that a model is to put into words (D-42): each is tried once, and again when it was cut anew. Index: episodes_to_word.
CREATE FUNCTION claim_unworded_episodes_v2(claimed_at timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, episode_id uuid)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH due AS MATERIALIZED (
    SELECT w.user_id, w.id FROM tenant t JOIN episode w ON w.tenant_id = t.id AND w.worded_at IS NULL
      JOIN memory_user u ON u.id = w.user_id AND u.fenced_at IS NULL
     WHERE t.settings ->> 'is_episode_wording_on' = 'true'
     ORDER BY w.cut_at DESC LIMIT at_most FOR UPDATE OF w SKIP LOCKED)
  UPDATE episode e SET worded_at = claimed_at
    FROM due WHERE e.user_id = due.user_id AND e.id = due.id
  RETURNING e.tenant_id, e.user_id, e.id
$$;

DROP FUNCTION claim_unworded_episodes_v1;
