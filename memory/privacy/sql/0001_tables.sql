-- Purpose: what privacy desks ask in a person's name, how far it is, and the calls that tell of it (SPEC A-4).
-- A request outlives its person: it holds ids, codes and times, no words and no id of the tenant's own.

CREATE TABLE privacy_request (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid NOT NULL,
  subject_request_id uuid NOT NULL,
  kind varchar(12) NOT NULL,
  regulation varchar(8) NOT NULL,
  -- No reference: the person may be gone. NULL where nothing was stored of the person when the request came.
  user_id uuid,
  status varchar(12) NOT NULL DEFAULT 'pending',
  fingerprint bytea NOT NULL,
  actor varchar(60) NOT NULL,
  submitted_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  deadline_at timestamptz NOT NULL,
  available_at timestamptz NOT NULL,
  -- While a worker is at it. One that dies leaves it to the next when this has passed.
  claimed_until timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  failure varchar(60) NOT NULL DEFAULT '',
  finished_at timestamptz,
  erasure_id uuid,
  results_count bigint,
  results_until timestamptz,
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT a_request_id_is_taken_once UNIQUE (tenant_id, subject_request_id),
  CONSTRAINT a_request_is_of_a_known_kind CHECK (kind IN ('access', 'portability', 'erasure')),
  CONSTRAINT a_request_is_in_a_known_status CHECK (status IN ('pending', 'in_progress', 'completed', 'cancelled')),
  CONSTRAINT what_is_asked_is_known_by_a_whole_hmac CHECK (length(fingerprint) = 32),
  CONSTRAINT a_request_that_is_over_has_an_end CHECK ((status IN ('completed', 'cancelled')) = (finished_at IS NOT NULL)),
  CONSTRAINT only_an_erasure_has_one CHECK (erasure_id IS NULL OR kind = 'erasure'),
  CONSTRAINT only_a_completed_request_has_results CHECK (
    (status = 'completed') = (results_count IS NOT NULL) AND (status = 'completed' OR results_until IS NULL))
);
-- Serves: claim_privacy_requests_v2, count_open_privacy_requests_v1.
CREATE INDEX privacy_requests_that_are_open ON privacy_request (available_at) WHERE status IN ('pending', 'in_progress');
-- Serves: the console's list, and the export of a user.
CREATE INDEX privacy_requests_of_a_user ON privacy_request (tenant_id, user_id, id);

CREATE TABLE privacy_callback (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  url varchar(2000) NOT NULL,
  status varchar(12) NOT NULL,
  state varchar(10) NOT NULL DEFAULT 'waiting',
  attempts integer NOT NULL DEFAULT 0,
  available_at timestamptz NOT NULL,
  claimed_until timestamptz,
  http_status integer,
  error varchar(40) NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, request_id) REFERENCES privacy_request (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT an_address_hears_of_a_status_once UNIQUE (tenant_id, request_id, url, status),
  CONSTRAINT a_callback_tells_a_known_status CHECK (status IN ('pending', 'in_progress', 'completed', 'cancelled')),
  CONSTRAINT a_callback_is_in_a_known_state CHECK (state IN ('waiting', 'delivered', 'failed')),
  CONSTRAINT a_callback_that_is_over_has_an_end CHECK ((state = 'waiting') = (finished_at IS NULL))
);
-- Serves: claim_privacy_callbacks_v2.
CREATE INDEX privacy_callbacks_that_wait ON privacy_callback (available_at) WHERE state = 'waiting';

-- What is asked and when never changes, and what is over stays as it is.
CREATE FUNCTION keep_privacy_request_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a privacy request that is over stays as it is' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER a_privacy_request_that_is_over_stays BEFORE UPDATE ON privacy_request
  FOR EACH ROW WHEN (OLD.status IN ('completed', 'cancelled')) EXECUTE FUNCTION keep_privacy_request_v1();

-- Requests of any tenant that are due, claimed for a while. Index: privacy_requests_that_are_open.
CREATE FUNCTION claim_privacy_requests_v1(due_at timestamptz, held_until timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE privacy_request r SET claimed_until = held_until, attempts = r.attempts + 1
    FROM (SELECT o.tenant_id, o.id FROM privacy_request o
           WHERE o.status IN ('pending', 'in_progress') AND o.available_at <= due_at
             AND (o.claimed_until IS NULL OR o.claimed_until <= due_at)
           ORDER BY o.available_at LIMIT at_most FOR UPDATE SKIP LOCKED) due
   WHERE r.tenant_id = due.tenant_id AND r.id = due.id
  RETURNING r.tenant_id, r.id
$$;

-- Callbacks of any tenant that are due, claimed for a while. Index: privacy_callbacks_that_wait.
CREATE FUNCTION claim_privacy_callbacks_v1(due_at timestamptz, held_until timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE privacy_callback c SET claimed_until = held_until, attempts = c.attempts + 1
    FROM (SELECT o.tenant_id, o.id FROM privacy_callback o
           WHERE o.state = 'waiting' AND o.available_at <= due_at AND (o.claimed_until IS NULL OR o.claimed_until <= due_at)
           ORDER BY o.available_at LIMIT at_most FOR UPDATE SKIP LOCKED) due
   WHERE c.tenant_id = due.tenant_id AND c.id = due.id
  RETURNING c.tenant_id, c.id
$$;

-- Requests of all tenants that are not over, for readiness and metrics. Index: privacy_requests_that_are_open.
CREATE FUNCTION count_open_privacy_requests_v1()
RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*) FROM privacy_request WHERE status IN ('pending', 'in_progress')
$$;
