-- Purpose: which episodes a model is to put into words (D-42): each is tried once, and again when it was cut anew.
ALTER TABLE episode ADD COLUMN worded_at timestamptz;
-- Serves: claim_unworded_episodes_v1.
CREATE INDEX episodes_to_word ON episode (tenant_id, cut_at DESC) WHERE worded_at IS NULL;

CREATE FUNCTION claim_unworded_episodes_v1(claimed_at timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, episode_id uuid)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE episode e SET worded_at = claimed_at
   WHERE (e.user_id, e.id) IN (
     SELECT w.user_id, w.id FROM tenant t JOIN episode w ON w.tenant_id = t.id AND w.worded_at IS NULL
       JOIN memory_user u ON u.id = w.user_id AND u.fenced_at IS NULL
      WHERE t.settings ->> 'is_episode_wording_on' = 'true'
      ORDER BY w.cut_at DESC LIMIT at_most FOR UPDATE OF w SKIP LOCKED)
  RETURNING e.tenant_id, e.user_id, e.id
$$;
