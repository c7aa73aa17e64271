-- Purpose: links to the memory page that are used once, and the session that each became (SPEC A-4).

CREATE TABLE visit (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  key_id uuid REFERENCES api_key (id) ON DELETE CASCADE,
  link_hash bytea,
  link_expires_at timestamptz NOT NULL,
  permissions varchar(16)[] NOT NULL,
  locale varchar(8) NOT NULL,
  theme varchar(8) NOT NULL,
  return_url varchar(2000) NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  opened_at timestamptz,
  session_hash bytea,
  expires_at timestamptz,
  ended_at timestamptz,
  PRIMARY KEY (user_id, id),
  -- Serve: open_visit_v1, find_visit_v1.
  CONSTRAINT a_link_is_of_one_visit UNIQUE (link_hash),
  CONSTRAINT a_session_is_of_one_visit UNIQUE (session_hash),
  CONSTRAINT hashes_of_a_visit_are_whole CHECK (length(link_hash) = 32 AND length(session_hash) = 32),
  CONSTRAINT a_visit_may_do_something CHECK (
    cardinality(permissions) > 0
    AND permissions <@ ARRAY['read', 'correct', 'forget', 'pause', 'consent', 'export', 'erase']::varchar[]),
  -- A visit that came with an export says when a page was opened elsewhere. It has no secrets and no key, and opens nothing here.
  CONSTRAINT only_a_visit_of_elsewhere_has_no_link CHECK ((key_id IS NULL) = (link_hash IS NULL)),
  CONSTRAINT a_visit_of_elsewhere_has_no_session CHECK (link_hash IS NOT NULL OR session_hash IS NULL),
  CONSTRAINT an_opened_visit_has_a_session_with_an_end CHECK (
    (link_hash IS NULL OR (opened_at IS NULL) = (session_hash IS NULL)) AND (opened_at IS NULL) = (expires_at IS NULL)),
  CONSTRAINT a_session_ends_after_it_begins CHECK (expires_at > opened_at),
  CONSTRAINT only_an_opened_visit_ends CHECK (ended_at IS NULL OR opened_at IS NOT NULL)
);
-- Serves: drop_visits_v1.
CREATE INDEX visits_by_age ON visit (created_at);
-- Serves: the end of a key.
CREATE INDEX visits_of_a_key ON visit (key_id);
ALTER TABLE visit ALTER link_hash SET STATISTICS 0;
ALTER TABLE visit ALTER session_hash SET STATISTICS 0;
ALTER TABLE visit ALTER return_url SET STATISTICS 0;

-- A link is used once: what it became stays as it is.
CREATE FUNCTION keep_opened_visit_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a visit is opened once' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER a_visit_is_opened_once BEFORE UPDATE OF opened_at, session_hash, expires_at, permissions, link_hash ON visit
  FOR EACH ROW WHEN (OLD.opened_at IS NOT NULL) EXECUTE FUNCTION keep_opened_visit_v1();

-- Uses a link up: of two that come at once one gets the row, the other finds it opened. Its tenant is not known before: run as the owner,
-- the caller must hold the link to name its hash. A link ends with the key that made it and with its user. Index: a_link_is_of_one_visit.
CREATE FUNCTION open_visit_v1(wanted bytea, its_session_hash bytea, at timestamptz, ends_at timestamptz)
RETURNS TABLE (tenant_id uuid, expires_at timestamptz) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE visit v SET opened_at = at, session_hash = its_session_hash, expires_at = least(ends_at, k.expires_at)
    FROM memory_user u, api_key k
   WHERE v.link_hash = wanted AND v.opened_at IS NULL AND v.link_expires_at > at AND u.id = v.user_id AND u.fenced_at IS NULL
     AND k.id = v.key_id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > at)
  RETURNING v.tenant_id, v.expires_at
$$;

-- The visit behind a session. Index: a_session_is_of_one_visit.
CREATE FUNCTION find_visit_v1(wanted bytea, at timestamptz)
RETURNS TABLE (
  id uuid, tenant_id uuid, user_id uuid, external_id text, key_id uuid, tenant_slug text, timezone text, permissions text[], locale text,
  theme text, return_url text, expires_at timestamptz, paused_at timestamptz, pause_keeps boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT v.id, v.tenant_id, v.user_id, u.external_id::text, v.key_id, t.slug::text, t.timezone::text, v.permissions::text[], v.locale::text,
         v.theme::text, v.return_url::text, v.expires_at, u.paused_at, u.pause_keeps
    FROM visit v JOIN memory_user u ON u.id = v.user_id AND u.fenced_at IS NULL JOIN tenant t ON t.id = v.tenant_id
    JOIN api_key k ON k.id = v.key_id AND k.revoked_at IS NULL
   WHERE v.session_hash = wanted AND v.ended_at IS NULL AND v.expires_at > at
$$;

-- Visits of all tenants that were made before a moment go; how many. Index: visits_by_age.
CREATE FUNCTION drop_visits_v1(made_before timestamptz, at_most integer)
RETURNS integer LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH gone AS (
    DELETE FROM visit v USING (SELECT o.user_id, o.id FROM visit o WHERE o.created_at < made_before LIMIT at_most) old
     WHERE v.user_id = old.user_id AND v.id = old.id RETURNING 1)
  SELECT count(*)::integer FROM gone
$$;
