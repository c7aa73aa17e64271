-- Purpose: which users a nightly round has not looked at yet, and how many episodes are in which layer (D-44, Q-1).

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
