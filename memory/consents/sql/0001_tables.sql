-- Purpose: what a tenant keeps of its users and what for; what each user said to it; what may therefore not be kept now.

-- A purpose is never deleted, and what users agreed to never grows: only its words change, and it may end.
CREATE TABLE purpose (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid NOT NULL,
  key varchar(40) NOT NULL,
  names jsonb NOT NULL,
  texts jsonb NOT NULL,
  covers varchar(40)[] NOT NULL,
  is_granted_by_default boolean NOT NULL,
  is_changeable boolean NOT NULL,
  kept_days integer,
  created_at timestamptz NOT NULL,
  changed_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (tenant_id, id),
  -- Serves: the purposes of a tenant, by name; withheld_v1.
  CONSTRAINT a_purpose_has_its_key_alone_in_its_tenant UNIQUE (tenant_id, key),
  CONSTRAINT the_key_of_a_purpose_is_a_code CHECK (key ~ '^[a-z][a-z0-9_]{0,39}$'),
  CONSTRAINT a_purpose_covers_what_can_be_kept CHECK (cardinality(covers) > 0 AND covers <@ ARRAY[
    'messages', 'episodes', 'items', 'answers', 'model', 'facts.body_params', 'facts.budget', 'facts.allergy', 'facts.hard_ban',
    'facts.onboarding_style', 'facts.life_event', 'facts.brand_preference']::varchar[]),
  CONSTRAINT days_are_of_what_has_an_age CHECK (kept_days IS NULL OR covers && ARRAY['messages', 'items']::varchar[]),
  CONSTRAINT something_is_kept_for_a_day_to_a_century CHECK (kept_days BETWEEN 1 AND 36500),
  CONSTRAINT a_purpose_ends_after_it_was_made CHECK (ended_at >= created_at)
);

CREATE FUNCTION keep_purpose_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a purpose that users agreed to does not grow' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER a_purpose_that_users_agreed_to_does_not_grow BEFORE UPDATE ON purpose FOR EACH ROW
  WHEN (NEW.key <> OLD.key OR NOT NEW.covers <@ OLD.covers OR (NEW.is_granted_by_default AND NOT OLD.is_granted_by_default)
    OR coalesce(NEW.kept_days, 36501) > coalesce(OLD.kept_days, 36501) OR (OLD.ended_at IS NOT NULL AND NEW.ended_at IS NULL))
  EXECUTE FUNCTION keep_purpose_v1();

-- What a user said to a purpose, each time. Under the key, so that it can be taken along.
CREATE TABLE consent (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  purpose_key varchar(40) NOT NULL,
  is_granted boolean NOT NULL,
  actor varchar(80) NOT NULL,
  recorded_at timestamptz NOT NULL,
  is_current boolean NOT NULL DEFAULT true,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_consent_is_to_a_code CHECK (purpose_key ~ '^[a-z][a-z0-9_]{0,39}$')
);
-- Serves: withheld_v1; what holds now.
CREATE UNIQUE INDEX a_user_has_one_current_consent_to_a_purpose ON consent (user_id, purpose_key) WHERE is_current;

CREATE FUNCTION keep_consent_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what a user said stays; something newer takes its place' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER a_consent_is_only_replaced BEFORE UPDATE ON consent FOR EACH ROW
  WHEN (NEW.is_current OR NOT OLD.is_current OR (NEW.user_id, NEW.id, NEW.purpose_key, NEW.is_granted, NEW.actor, NEW.recorded_at)
    IS DISTINCT FROM (OLD.user_id, OLD.id, OLD.purpose_key, OLD.is_granted, OLD.actor, OLD.recorded_at))
  EXECUTE FUNCTION keep_consent_v1();

-- What may not be kept of a user now: what purposes cover, and none of those that are granted. What no purpose covers is kept. Null where
-- everything may. Indexes: a_purpose_has_its_key_alone_in_its_tenant, a_user_has_one_current_consent_to_a_purpose.
CREATE FUNCTION withheld_v1(its_tenant_id uuid, its_user_id uuid) RETURNS varchar[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(k.kind ORDER BY k.kind) FROM (
    SELECT kind FROM purpose p CROSS JOIN unnest(p.covers) kind
      LEFT JOIN consent c ON c.user_id = its_user_id AND c.purpose_key = p.key AND c.is_current
     WHERE p.tenant_id = its_tenant_id AND p.ended_at IS NULL
     GROUP BY kind HAVING NOT bool_or(coalesce(c.is_granted, p.is_granted_by_default))) k
$$;

-- The same at a moment of the past, for a rebuild.
CREATE FUNCTION withheld_at_v1(its_tenant_id uuid, its_user_id uuid, at timestamptz) RETURNS varchar[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(k.kind ORDER BY k.kind) FROM (
    SELECT kind FROM purpose p CROSS JOIN unnest(p.covers) kind
      LEFT JOIN LATERAL (
        SELECT o.is_granted FROM consent o WHERE o.user_id = its_user_id AND o.purpose_key = p.key AND o.recorded_at <= at
         ORDER BY o.recorded_at DESC, o.id DESC LIMIT 1) c ON true
     WHERE p.tenant_id = its_tenant_id AND p.created_at <= at AND (p.ended_at IS NULL OR p.ended_at > at)
     GROUP BY kind HAVING NOT bool_or(coalesce(c.is_granted, p.is_granted_by_default))) k
$$;

-- An action says that a message held something that was not kept: a rebuild leaves it out too (D-1).
ALTER TABLE memory_action DROP CONSTRAINT an_action_is_of_a_known_kind;
ALTER TABLE memory_action ADD CONSTRAINT an_action_is_of_a_known_kind CHECK (kind IN (
    'instant', 'correction', 'onboarding', 'explicit', 'confirm', 'dispute', 'retract', 'edit', 'forget', 'restore',
    'expire', 'extraction', 'verdict', 'withdraw', 'close', 'anchor', 'calibrate', 'merge', 'part', 'withhold'));

-- One row for each user that can be written for now. A batch of several users waits for the lock of none that exists, or two batches could
-- wait for each other; new users are made in the order of the rows, which is the same in every process. Whoever is busy, or has
-- tombstones, gives no row: the caller opens that user alone, where waiting and refusing harm nobody else. Alone, a user behind a fence
-- gives a row with `fenced_at`, one who is paused a row that is refusing, and one whose messages may not be kept a row that says what is
-- withheld; nothing is made for any of them.
-- Index: an_external_id_is_one_user_of_a_tenant, a_key_has_one_active_fact.
CREATE FUNCTION open_batch_v3(its_tenant_id uuid, users json, turn_length integer, opened_at timestamptz, is_alone boolean)
RETURNS TABLE (
  place integer, user_id uuid, fenced_at timestamptz, has_tombstones boolean, may_be_erased boolean, log_position bigint,
  has_facts boolean, conversations jsonb, facts jsonb, withheld text[], is_refusing boolean)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  wanted record;
  known_id uuid;
  reads_facts boolean;
  has_purposes boolean := EXISTS (SELECT FROM purpose p WHERE p.tenant_id = its_tenant_id AND p.ended_at IS NULL);
  is_kept boolean;
BEGIN
  FOR wanted IN SELECT * FROM json_to_recordset(users) AS w (
    place integer, external_id varchar, fresh_id uuid, names varchar[], fresh_ids uuid[], client_ids varchar[], may_change_facts boolean)
  LOOP
    IF NOT is_alone THEN
      SELECT u.id INTO known_id FROM memory_user u WHERE u.tenant_id = its_tenant_id AND u.external_id = wanted.external_id;
      -- A new user may be an erased one who comes back: such a user is made only where the tombstones are looked at (D-29). One whose
      -- messages may not be kept is not made at all.
      CONTINUE WHEN known_id IS NULL AND (has_purposes OR EXISTS (SELECT FROM memory_tombstone t WHERE t.tenant_id = its_tenant_id));
      CONTINUE WHEN known_id IS NOT NULL AND NOT pg_try_advisory_xact_lock(hashtextextended(known_id::text, 20260221));
    END IF;
    SELECT e.user_id, e.fenced_at, e.has_tombstones, e.may_be_erased INTO user_id, fenced_at, has_tombstones, may_be_erased
      FROM enter_user_v2(its_tenant_id, wanted.external_id, wanted.fresh_id, opened_at) e;
    CONTINUE WHEN NOT FOUND OR (NOT is_alone AND (fenced_at IS NOT NULL OR has_tombstones));
    place := wanted.place;
    withheld := CASE WHEN has_purposes THEN withheld_v1(its_tenant_id, user_id) END;
    SELECT u.log_position, EXISTS (SELECT FROM user_knowledge k WHERE k.user_id = u.id AND k.is_active),
           u.paused_at IS NOT NULL AND NOT u.pause_keeps
      INTO log_position, has_facts, is_refusing FROM memory_user u WHERE u.id = open_batch_v3.user_id;
    is_kept := NOT is_refusing AND NOT 'messages' = ANY(coalesce(withheld, '{}'));
    CONTINUE WHEN NOT is_kept AND NOT is_alone;
    reads_facts := has_facts AND wanted.may_change_facts;
    conversations := CASE WHEN fenced_at IS NULL AND is_kept THEN open_conversations_v1(
      its_tenant_id, user_id, wanted.names, wanted.fresh_ids, wanted.client_ids, CASE WHEN reads_facts THEN turn_length ELSE 0 END,
      opened_at) END;
    facts := CASE WHEN reads_facts THEN (
      SELECT jsonb_agg(to_jsonb(k) - 'sealed' - 'key_hash' || jsonb_build_object('sealed', encode(k.sealed, 'hex'))
                       ORDER BY k.log_position, k.id)
        FROM user_knowledge k WHERE k.user_id = open_batch_v3.user_id AND k.is_active) END;
    RETURN NEXT;
  END LOOP;
END $$;

DROP FUNCTION IF EXISTS open_batch_v2;
