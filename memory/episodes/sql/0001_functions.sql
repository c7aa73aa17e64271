-- Purpose: what workers ask across tenants: users whom a nightly round has not looked at yet, episodes by layer, and those to
-- be put into words (D-42, D-44, Q-1).

-- Users with episodes that no round has touched since a moment; a fenced user is left alone. Index: episodes_by_night.
CREATE FUNCTION claim_unlayered_users_v1(untouched_since timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid) LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT w.tenant_id, w.user_id FROM (
    SELECT e.tenant_id, e.user_id FROM episode e JOIN memory_user u ON u.id = e.user_id AND u.fenced_at IS NULL
     WHERE e.layered_at IS NULL OR e.layered_at < untouched_since
     ORDER BY e.layered_at NULLS FIRST, e.user_id LIMIT at_most) w
$$;

-- Episodes of all tenants by layer and by how many days ago they ended, in steps of the histogram.
CREATE FUNCTION count_episodes_v1(counted_at timestamptz, steps integer[])
RETURNS TABLE (layer varchar, step integer, episodes bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT e.layer, width_bucket(extract(epoch FROM counted_at - e.ended_at)::double precision / 86400,
                               (SELECT array_agg(s::double precision ORDER BY s) FROM unnest(steps) s)), count(*)
    FROM episode e GROUP BY 1, 2
$$;

-- Episodes that a model is to put into words (D-42): each is tried once, and again when it was cut anew. Index: episodes_to_word.
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
