-- Purpose: what happened, for a product's other systems: numbered events, the addresses that want them, and each delivery (SPEC A-2, D-55).
-- An event is written in the transaction of the change, so that no crash comes between the two. It holds ids and codes, no words.

-- The last number given: to a user's events, and to a tenant's feed. Numbers are never given twice, whatever was deleted since.
CREATE TABLE memory_event_counter (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  owner_id uuid NOT NULL,
  last_number bigint NOT NULL,
  PRIMARY KEY (tenant_id, owner_id),
  CONSTRAINT numbers_start_at_one CHECK (last_number > 0)
);

CREATE TABLE memory_event (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid NOT NULL DEFAULT uuidv7(),
  user_id uuid REFERENCES memory_user (id),
  user_seq bigint,
  type varchar(40) NOT NULL,
  message_id uuid,
  data jsonb NOT NULL,
  -- The clock, not the time of the transaction: events of one user are numbered in the order in which their locks were held.
  recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- The place in the tenant's feed. Given after the commit, one tenant at a time: whoever has read up to a number has missed none.
  number bigint,
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT an_event_has_a_type CHECK (type ~ '^[a-z]+\.[a-z_]+$'),
  CONSTRAINT events_of_a_user_are_numbered CHECK ((user_id IS NULL) = (user_seq IS NULL)),
  CONSTRAINT a_number_of_a_user_is_given_once UNIQUE (user_id, user_seq),
  CONSTRAINT a_number_of_the_feed_is_given_once UNIQUE (tenant_id, number)
);
-- Serves: number_events_v1, list_tenants_with_new_events_v1.
CREATE INDEX events_without_a_number ON memory_event (tenant_id, recorded_at) WHERE number IS NULL AND type <> 'webhook.test';
-- Serves: drop_events_v1.
CREATE INDEX events_by_age ON memory_event (tenant_id, recorded_at);

CREATE TABLE webhook_endpoint (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid NOT NULL,
  external_id varchar(128) NOT NULL,
  url varchar(2000) NOT NULL,
  events varchar(40)[] NOT NULL,
  description varchar(200) NOT NULL DEFAULT '',
  -- Wrapped by the master key.
  secret bytea NOT NULL,
  former_secret bytea,
  former_until timestamptz,
  disabled_at timestamptz,
  disabled_reason varchar(20) NOT NULL DEFAULT '',
  failing_since timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT an_endpoint_has_an_id CHECK (external_id <> ''),
  CONSTRAINT an_endpoint_id_is_unique_in_its_tenant UNIQUE (tenant_id, external_id),
  CONSTRAINT an_endpoint_wants_something CHECK (cardinality(events) > 0),
  CONSTRAINT a_former_secret_has_an_end CHECK ((former_secret IS NULL) = (former_until IS NULL)),
  CONSTRAINT a_disabled_endpoint_has_a_reason CHECK ((disabled_at IS NULL) = (disabled_reason = ''))
);

CREATE TABLE webhook_delivery (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT uuidv7(),
  endpoint_id uuid NOT NULL,
  event_id uuid NOT NULL,
  state varchar(10) NOT NULL DEFAULT 'waiting',
  attempts integer NOT NULL DEFAULT 0,
  available_at timestamptz NOT NULL,
  -- While somebody sends it. A sender that dies leaves it, and it is sent again when this has passed.
  claimed_until timestamptz,
  status integer,
  error varchar(40) NOT NULL DEFAULT '',
  duration_ms integer,
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, endpoint_id) REFERENCES webhook_endpoint (tenant_id, id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, event_id) REFERENCES memory_event (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT an_event_goes_to_an_endpoint_once UNIQUE (tenant_id, event_id, endpoint_id),
  CONSTRAINT a_delivery_is_in_a_known_state CHECK (state IN ('waiting', 'delivered', 'failed')),
  CONSTRAINT what_is_over_has_an_end CHECK ((state = 'waiting') = (finished_at IS NULL))
);
-- Serves: claim_deliveries_v2.
CREATE INDEX deliveries_that_wait ON webhook_delivery (available_at) WHERE state = 'waiting';
-- Serves: the log of an endpoint, newest first.
CREATE INDEX deliveries_of_an_endpoint ON webhook_delivery (tenant_id, endpoint_id, id DESC);

-- Writes events in the caller's transaction: [{"type", "message_id"?, "data"}]. A user's are numbered without a gap: the caller holds the
-- user's lock, and the row of the counter holds off everybody else.
CREATE FUNCTION record_events_v1(its_tenant_id uuid, its_user_id uuid, events jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  last_seq bigint;
BEGIN
  IF its_user_id IS NOT NULL THEN
    INSERT INTO memory_event_counter AS c (tenant_id, owner_id, last_number) VALUES (its_tenant_id, its_user_id, jsonb_array_length(events))
    ON CONFLICT (tenant_id, owner_id) DO UPDATE SET last_number = c.last_number + excluded.last_number
    RETURNING last_number - jsonb_array_length(events) INTO last_seq;
  END IF;
  INSERT INTO memory_event (tenant_id, user_id, user_seq, type, message_id, data)
  SELECT its_tenant_id, its_user_id, last_seq + e.place, e.item ->> 'type', (e.item ->> 'message_id')::uuid, e.item -> 'data'
    FROM jsonb_array_elements(events) WITH ORDINALITY AS e (item, place) ORDER BY e.place;
END $$;

-- What an entry of the action log tells: what became of each fact, then the forget, restore or correction itself.
CREATE FUNCTION describe_action_v1(a memory_action) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_agg(told.event ORDER BY told.place) FROM (
    SELECT e.place, jsonb_build_object('type', 'fact.' || (e.effect ->> 'action'), 'message_id', a.message_id, 'data', jsonb_strip_nulls(
             jsonb_build_object('fact_id', e.effect -> 'fact_id', 'superseded_id', e.effect -> 'superseded_id', 'cause', a.kind))) AS event
      FROM jsonb_array_elements(a.effects) WITH ORDINALITY AS e (effect, place) WHERE e.effect ->> 'action' ~ '^[a-z_]+$'
    UNION ALL
    SELECT 1000000 + e.place, jsonb_build_object('type', 'correction.recorded', 'message_id', a.message_id, 'data', jsonb_build_object(
             'correction_id', e.entry -> 'id', 'correction_type', e.entry -> 'correction_type'))
      FROM jsonb_array_elements(CASE WHEN jsonb_typeof(a.detail -> 'corrections') = 'array' THEN a.detail -> 'corrections' ELSE '[]' END)
           WITH ORDINALITY AS e (entry, place)
    UNION ALL
    SELECT 2000000, jsonb_build_object('type', CASE a.kind WHEN 'forget' THEN 'messages.forgotten' ELSE 'messages.restored' END,
             'message_id', NULL, 'data', jsonb_build_object('forget_id', a.batch_id))
     WHERE a.kind IN ('forget', 'restore') AND a.batch_id IS NOT NULL) told
$$;

-- The action log is the one way in which facts change: its rows tell of themselves, so that no writer can forget to.
CREATE FUNCTION tell_of_actions_v1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  told record;
BEGIN
  FOR told IN
    SELECT n.tenant_id, n.user_id, jsonb_agg(e.event ORDER BY n.position, e.place) AS events
      FROM new_actions n CROSS JOIN LATERAL jsonb_array_elements(describe_action_v1(n)) WITH ORDINALITY AS e (event, place)
     GROUP BY n.tenant_id, n.user_id ORDER BY n.user_id
  LOOP
    PERFORM record_events_v1(told.tenant_id, told.user_id, told.events);
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER actions_are_told AFTER INSERT ON memory_action REFERENCING NEW TABLE AS new_actions
  FOR EACH STATEMENT EXECUTE FUNCTION tell_of_actions_v1();

-- Gives new events of a tenant their place in the feed and makes a delivery for each address that wants them; how many events.
-- One at a time for a tenant. Indexes: events_without_a_number.
CREATE FUNCTION number_events_v1(its_tenant_id uuid, at_most integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  found_ids uuid[];
  last_place bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(its_tenant_id::text, 20261126));
  SELECT array_agg(id ORDER BY recorded_at, user_seq) INTO found_ids FROM (
    SELECT e.id, e.recorded_at, e.user_seq FROM memory_event e WHERE e.tenant_id = its_tenant_id AND e.number IS NULL AND e.type <> 'webhook.test'
     ORDER BY e.recorded_at, e.user_seq LIMIT at_most) fresh;
  IF found_ids IS NULL THEN
    RETURN 0;
  END IF;
  INSERT INTO memory_event_counter AS c (tenant_id, owner_id, last_number) VALUES (its_tenant_id, its_tenant_id, cardinality(found_ids))
  ON CONFLICT (tenant_id, owner_id) DO UPDATE SET last_number = c.last_number + excluded.last_number
  RETURNING last_number - cardinality(found_ids) INTO last_place;
  UPDATE memory_event e SET number = last_place + f.place
    FROM unnest(found_ids) WITH ORDINALITY AS f (id, place) WHERE e.tenant_id = its_tenant_id AND e.id = f.id;
  INSERT INTO webhook_delivery (tenant_id, endpoint_id, event_id, available_at, created_at)
  SELECT its_tenant_id, w.id, e.id, now(), now()
    FROM memory_event e JOIN webhook_endpoint w ON w.tenant_id = its_tenant_id AND w.disabled_at IS NULL
     AND (e.type = ANY(w.events) OR '*' = ANY(w.events) OR split_part(e.type, '.', 1) || '.*' = ANY(w.events))
   WHERE e.tenant_id = its_tenant_id AND e.id = ANY(found_ids)
  ON CONFLICT DO NOTHING;
  RETURN cardinality(found_ids);
END $$;

-- Tenants with events that have no place in their feed yet. Index: events_without_a_number.
CREATE FUNCTION list_tenants_with_new_events_v1(at_most integer)
RETURNS SETOF uuid LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT e.tenant_id FROM memory_event e WHERE e.number IS NULL AND e.type <> 'webhook.test' LIMIT at_most
$$;

-- Deliveries that are due, claimed for a while: whoever dies with them leaves them to the next. Index: deliveries_that_wait.
CREATE FUNCTION claim_deliveries_v1(due_at timestamptz, held_until timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE webhook_delivery d SET claimed_until = held_until, attempts = d.attempts + 1
    FROM (SELECT w.tenant_id, w.id FROM webhook_delivery w JOIN webhook_endpoint p ON p.tenant_id = w.tenant_id AND p.id = w.endpoint_id
           WHERE w.state = 'waiting' AND w.available_at <= due_at AND (w.claimed_until IS NULL OR w.claimed_until <= due_at)
             AND p.disabled_at IS NULL
           ORDER BY w.available_at LIMIT at_most FOR UPDATE OF w SKIP LOCKED) due
   WHERE d.tenant_id = due.tenant_id AND d.id = due.id
  RETURNING d.tenant_id, d.id
$$;

-- Events older than a moment go, with their deliveries; how many. Index: events_by_age.
CREATE FUNCTION drop_events_v1(older_than timestamptz, at_most integer)
RETURNS integer LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH gone AS (
    DELETE FROM memory_event e USING (
      SELECT o.tenant_id, o.id FROM memory_event o WHERE o.recorded_at < older_than LIMIT at_most) old
     WHERE e.tenant_id = old.tenant_id AND e.id = old.id RETURNING 1)
  SELECT count(*)::integer FROM gone
$$;

-- Deliveries of all tenants that wait, for readiness and metrics. Index: deliveries_that_wait.
CREATE FUNCTION count_waiting_deliveries_v1()
RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*) FROM webhook_delivery WHERE state = 'waiting'
$$;
