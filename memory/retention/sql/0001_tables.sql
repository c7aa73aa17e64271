-- Purpose: what is older than it is kept, user by user, and how far a night's run is (D-54).

CREATE TABLE retention_run (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid NOT NULL,
  began_at timestamptz NOT NULL,
  last_user_id uuid,
  users integer NOT NULL DEFAULT 0,
  messages bigint NOT NULL DEFAULT 0,
  items bigint NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  finished_at timestamptz,
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT counts_of_a_run_are_not_negative CHECK (users >= 0 AND messages >= 0 AND items >= 0 AND skipped >= 0),
  CONSTRAINT a_run_ends_after_it_began CHECK (finished_at >= began_at)
);
-- Serves: the run to go on with. A tenant has one at a time.
CREATE UNIQUE INDEX a_tenant_has_one_open_run ON retention_run (tenant_id) WHERE finished_at IS NULL;
-- Serves: the latest runs of a tenant, retention_behind_v1.
CREATE INDEX runs_of_a_tenant ON retention_run (tenant_id, began_at);

-- For how many days a kind is kept of a user: the longest of the purposes that hold, at most what the tenant says. Null: for ever.
CREATE FUNCTION kept_days_v1(its_tenant_id uuid, its_user_id uuid, its_kind varchar, at_most integer) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT least(at_most, (
    SELECT CASE WHEN bool_and(p.kept_days IS NOT NULL) THEN max(p.kept_days) END
      FROM purpose p LEFT JOIN consent c ON c.user_id = its_user_id AND c.purpose_key = p.key AND c.is_current
     WHERE p.tenant_id = its_tenant_id AND p.ended_at IS NULL AND its_kind = ANY (p.covers)
       AND coalesce(c.is_granted, p.is_granted_by_default)))
$$;

-- Users of a tenant with something that is over its age, after a user, by id: how many messages and items, and from which moment on they
-- stay. Days begin at midnight UTC, so that a run that is repeated within a day asks for the same. What an erasure has taken on already is
-- not counted. Indexes: messages_of_a_user_as_said, a_path_has_one_current_item.
CREATE FUNCTION list_over_age_v1(its_tenant_id uuid, message_days integer, at timestamptz, after_user uuid, at_most integer)
RETURNS TABLE (user_id uuid, external_id varchar, keeps_messages_from timestamptz, messages bigint, keeps_items_from timestamptz, items bigint)
LANGUAGE sql STABLE AS $$
  SELECT u.id, u.external_id, cut.messages_from, said.messages, cut.items_from, kept.items
    FROM memory_user u
   CROSS JOIN LATERAL (
     SELECT date_trunc('day', at, 'UTC') - make_interval(days => kept_days_v1(u.tenant_id, u.id, 'messages', message_days)) AS messages_from,
            date_trunc('day', at, 'UTC') - make_interval(days => kept_days_v1(u.tenant_id, u.id, 'items', NULL)) AS items_from) cut
   CROSS JOIN LATERAL (
     SELECT count(*) AS messages FROM memory_message m
      WHERE m.user_id = u.id AND m.created_at < cut.messages_from
        AND NOT EXISTS (
          SELECT FROM erasure_request r JOIN erasure_item i ON i.user_id = r.user_id AND i.erasure_id = r.id AND i.message_id = m.id
           WHERE r.user_id = u.id AND r.status <> 'completed')) said
   CROSS JOIN LATERAL (
     SELECT count(*) AS items FROM kept_item k WHERE k.user_id = u.id AND k.replaced_at IS NULL AND k.updated_at < cut.items_from) kept
   WHERE u.tenant_id = its_tenant_id AND u.fenced_at IS NULL AND (after_user IS NULL OR u.id > after_user)
     AND (said.messages > 0 OR kept.items > 0)
   ORDER BY u.id LIMIT at_most
$$;

-- Tenants that let things go by age, with the moment since when nothing was finished: the last run that ended, or the first that began.
-- For workers and metrics, who belong to no tenant.
CREATE FUNCTION list_retaining_tenants_v1()
RETURNS TABLE (tenant_id uuid, last_began_at timestamptz, since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.id, max(r.began_at), coalesce(max(r.finished_at), min(r.began_at))
    FROM tenant t LEFT JOIN retention_run r ON r.tenant_id = t.id
   WHERE t.settings -> 'is_retention_on' = 'true'::jsonb
   GROUP BY t.id ORDER BY max(r.began_at) NULLS FIRST, t.id
$$;
