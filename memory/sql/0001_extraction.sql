-- Purpose: the log of extraction runs, staged candidates, samples for review, and the switches of a tenant (SPEC X-1 to X-4).

CREATE TABLE extraction_run (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  status varchar(16) NOT NULL,
  triggered_by varchar(20) NOT NULL,
  code varchar(60) NOT NULL DEFAULT '',
  model varchar(120) NOT NULL DEFAULT '',
  prompt_version varchar(16) NOT NULL DEFAULT '',
  fingerprint bytea,
  message_ids uuid[] NOT NULL DEFAULT '{}',
  sealed bytea,
  prompt_tokens integer NOT NULL DEFAULT 0,
  completion_tokens integer NOT NULL DEFAULT 0,
  cost_usd numeric(12, 6) NOT NULL DEFAULT 0,
  duration_ms integer NOT NULL DEFAULT 0,
  proposed integer NOT NULL DEFAULT 0,
  applied integer NOT NULL DEFAULT 0,
  staged integer NOT NULL DEFAULT 0,
  results jsonb NOT NULL DEFAULT '{}',
  failures integer NOT NULL DEFAULT 0,
  claimed_at timestamptz NOT NULL,
  next_at timestamptz NOT NULL,
  finished_at timestamptz,
  -- By what the answer was judged, so that a rebuild can judge it again (SPEC M-4).
  log_position bigint,
  rule_set_version bigint,
  engine_version varchar(16) NOT NULL DEFAULT '',
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_run_has_a_known_status CHECK (status IN ('open', 'done', 'failed', 'lost', 'skipped', 'abandoned')),
  CONSTRAINT a_run_has_a_known_trigger CHECK (triggered_by IN ('session_closed', 'pending_count', 'interval', 'manual')),
  CONSTRAINT a_finished_run_says_when CHECK ((status = 'open') = (finished_at IS NULL)),
  CONSTRAINT a_run_says_why_in_a_code CHECK (code ~ '^[a-z0-9_.]*$'),
  CONSTRAINT a_run_counts_from_zero CHECK (
    proposed >= 0 AND applied >= 0 AND staged >= 0 AND prompt_tokens >= 0 AND completion_tokens >= 0 AND cost_usd >= 0)
);
ALTER TABLE extraction_run ALTER sealed SET STATISTICS 0;
-- Proves that a user has one run at a time; a second worker's claim finds it taken (SPEC X-1).
CREATE UNIQUE INDEX a_user_has_one_open_run ON extraction_run (user_id) WHERE status = 'open';
-- Serves: when may this user be read again (claim_extractions_v1), the newest run, the idempotency key.
CREATE INDEX runs_of_a_user_newest_first ON extraction_run (user_id, claimed_at DESC);
-- Serves: tokens, costs and results of a tenant by day.
CREATE INDEX runs_of_a_tenant_by_time ON extraction_run (tenant_id, claimed_at);
-- Serves: runs whose worker has died (claim_extractions_v1).
CREATE INDEX open_runs_by_lease ON extraction_run (next_at) WHERE status = 'open';

CREATE TABLE fact_candidate (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  kind varchar(20) NOT NULL,
  status varchar(16) NOT NULL,
  knowledge_type varchar(40) NOT NULL,
  key_hash bytea NOT NULL,
  sealed bytea NOT NULL,
  confidence double precision NOT NULL,
  language varchar(16) NOT NULL DEFAULT '',
  evidence_message_ids uuid[] NOT NULL,
  run_id uuid NOT NULL,
  fact_id uuid,
  first_said_at timestamptz NOT NULL,
  last_said_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_candidate_waits_for_something_known CHECK (kind IN ('second_evidence', 'unknown_allergen')),
  CONSTRAINT a_candidate_has_a_known_status CHECK (status IN ('open', 'promoted', 'expired', 'replaced', 'forgotten', 'dismissed')),
  CONSTRAINT a_candidate_has_evidence CHECK (cardinality(evidence_message_ids) > 0),
  CONSTRAINT a_candidate_is_surer_than_not CHECK (confidence > 0 AND confidence <= 1),
  CONSTRAINT a_promoted_candidate_names_its_fact CHECK ((status = 'promoted') = (fact_id IS NOT NULL))
);
ALTER TABLE fact_candidate ALTER sealed SET STATISTICS 0;
-- Proves that a key waits once; serves the look-up when its second evidence comes.
CREATE UNIQUE INDEX a_key_waits_once ON fact_candidate (user_id, knowledge_type, key_hash) WHERE status = 'open';
-- Serves: claim_expired_candidates_v1.
CREATE INDEX candidates_that_expire ON fact_candidate (expires_at) WHERE status = 'open';
-- Serves: the page of candidates, newest first, of one tenant.
CREATE INDEX candidates_of_a_tenant ON fact_candidate (tenant_id, updated_at DESC);

CREATE TABLE review_sample (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  run_id uuid NOT NULL,
  fact_id uuid NOT NULL,
  operation varchar(8) NOT NULL,
  knowledge_type varchar(40) NOT NULL,
  language varchar(16) NOT NULL DEFAULT '',
  model varchar(120) NOT NULL,
  prompt_version varchar(16) NOT NULL,
  evidence_message_ids uuid[] NOT NULL,
  locked_by varchar(80) NOT NULL DEFAULT '',
  locked_until timestamptz,
  verdict varchar(16),
  judged_by varchar(80) NOT NULL DEFAULT '',
  judged_at timestamptz,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_verdict_is_one_of_four CHECK (verdict IN ('correct', 'wrong_subject', 'false_fact', 'missed_sarcasm')),
  CONSTRAINT a_verdict_says_who_and_when CHECK (
    (verdict IS NULL) = (judged_at IS NULL) AND (verdict IS NULL) = (judged_by = ''))
);
-- Serves: the review queue, oldest first.
CREATE INDEX samples_to_judge ON review_sample (tenant_id, created_at) WHERE verdict IS NULL;
-- Serves: precision of a tenant since a day.
CREATE INDEX samples_by_verdict ON review_sample (tenant_id, judged_at) WHERE verdict IS NOT NULL;
-- Serves: find_owner of a sample in the review console.
CREATE INDEX owner_of_a_sample ON review_sample (id);

-- One row a tenant, made when something is first switched. No row: on, one in a hundred is sampled.
CREATE TABLE extraction_tenant_state (
  tenant_id uuid NOT NULL PRIMARY KEY REFERENCES tenant (id) ON DELETE CASCADE,
  mode varchar(8) NOT NULL DEFAULT 'on',
  reason varchar(60) NOT NULL DEFAULT '',
  actor varchar(80) NOT NULL DEFAULT '',
  changed_at timestamptz,
  sample_share double precision NOT NULL DEFAULT 0.01,
  blocked_until timestamptz,
  CONSTRAINT extraction_is_on_paused_or_off CHECK (mode IN ('on', 'paused', 'off')),
  CONSTRAINT a_switch_says_why_in_a_code CHECK (reason ~ '^[a-z0-9_.]*$'),
  CONSTRAINT a_share_is_between_none_and_all CHECK (sample_share BETWEEN 0 AND 1)
);

CREATE TABLE extraction_quarantine (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL PRIMARY KEY,
  slice varchar(12) NOT NULL,
  value varchar(140) NOT NULL,
  reason varchar(60) NOT NULL,
  judged integer NOT NULL,
  right_count integer NOT NULL,
  since timestamptz NOT NULL,
  lifted_at timestamptz,
  lifted_by varchar(80) NOT NULL DEFAULT '',
  CONSTRAINT a_quarantine_is_for_a_known_slice CHECK (slice IN ('type', 'language', 'version'))
);
-- Proves that a slice is quarantined once; serves the gate's look-up.
CREATE UNIQUE INDEX a_slice_is_quarantined_once ON extraction_quarantine (tenant_id, slice, value) WHERE lifted_at IS NULL;

-- Takes users whose messages are due (SPEC X-1): a session has closed, enough has come, or it has waited long enough; not
-- before the time their last run set. A run whose worker died is given up when its lease is over. Two workers that meet on
-- one user: the unique index lets one of them have it. Index: conversations_with_pending.
CREATE FUNCTION claim_extractions_v1(
  claimed_at timestamptz, lease interval, session_gap interval, longest_wait interval, enough integer, fresh_ids uuid[])
RETURNS TABLE (tenant_id uuid, user_id uuid, run_id uuid, trigger_name varchar)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  due record;
  taken integer := 0;
BEGIN
  UPDATE extraction_run r
     SET status = 'lost', code = 'worker_lost', finished_at = claim_extractions_v1.claimed_at, failures = r.failures + 1
   WHERE r.status = 'open' AND r.next_at <= claim_extractions_v1.claimed_at;
  FOR due IN
    SELECT w.tenant_id, w.user_id,
           CASE WHEN w.pending >= enough THEN 'pending_count' WHEN w.said_at <= claim_extractions_v1.claimed_at - session_gap
                THEN 'session_closed' ELSE 'interval' END AS cause
      FROM (SELECT c.tenant_id, c.user_id, sum(c.pending_count) AS pending, max(c.last_message_at) AS said_at,
                   min(c.pending_since) AS waits_since, bool_or(c.last_message_at <= claim_extractions_v1.claimed_at - session_gap) AS is_over
              FROM memory_conversation c WHERE c.pending_since IS NOT NULL GROUP BY c.tenant_id, c.user_id) w
      JOIN memory_user u ON u.id = w.user_id AND u.fenced_at IS NULL
      JOIN tenant t ON t.id = w.tenant_id AND t.settings ->> 'is_extraction_on' IS DISTINCT FROM 'false'
      LEFT JOIN extraction_tenant_state s ON s.tenant_id = w.tenant_id
     WHERE (w.pending >= enough OR w.is_over OR w.waits_since <= claim_extractions_v1.claimed_at - longest_wait)
       AND coalesce(s.mode, 'on') = 'on' AND coalesce(s.blocked_until, '-infinity') <= claim_extractions_v1.claimed_at
       AND NOT EXISTS (SELECT FROM extraction_run r
                        WHERE r.user_id = w.user_id AND r.next_at > claim_extractions_v1.claimed_at)
     ORDER BY w.waits_since
  LOOP
    EXIT WHEN taken >= cardinality(fresh_ids);
    INSERT INTO extraction_run (tenant_id, user_id, id, status, triggered_by, claimed_at, next_at, failures)
    VALUES (due.tenant_id, due.user_id, fresh_ids[taken + 1], 'open', due.cause, claim_extractions_v1.claimed_at,
            claim_extractions_v1.claimed_at + lease,
            coalesce((SELECT r.failures FROM extraction_run r WHERE r.user_id = due.user_id
                       ORDER BY r.claimed_at DESC, r.id DESC LIMIT 1), 0))
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
      taken := taken + 1;
      tenant_id := due.tenant_id; user_id := due.user_id; run_id := fresh_ids[taken]; trigger_name := due.cause;
      RETURN NEXT;
    END IF;
  END LOOP;
END $$;

-- Messages that no run has read, over all tenants: for metrics and readiness. Index: conversations_with_pending.
CREATE FUNCTION count_pending_extractions_v1() RETURNS TABLE (users bigint, messages bigint, waits_since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(DISTINCT c.user_id), coalesce(sum(c.pending_count), 0)::bigint, min(c.pending_since)
    FROM memory_conversation c WHERE c.pending_since IS NOT NULL
$$;

-- Users with candidates whose time is up. Index: candidates_that_expire.
CREATE FUNCTION claim_expired_candidates_v1(due_at timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT k.tenant_id, k.user_id FROM (
    SELECT f.tenant_id, f.user_id FROM fact_candidate f WHERE f.status = 'open' AND f.expires_at <= due_at
     ORDER BY f.expires_at LIMIT at_most) k
$$;

-- What alerts look at, over all tenants: how many have extraction paused, off, out of tokens, or a slice held back.
CREATE FUNCTION count_extraction_switches_v1(at_time timestamptz) RETURNS TABLE (switch_name varchar, switched bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT 'paused', count(*) FROM extraction_tenant_state WHERE mode = 'paused'
  UNION ALL SELECT 'off', count(*) FROM extraction_tenant_state WHERE mode = 'off' AND reason <> 'by_staff'
  UNION ALL SELECT 'out_of_tokens', count(*) FROM extraction_tenant_state WHERE blocked_until > at_time
  UNION ALL SELECT 'quarantined', count(*) FROM extraction_quarantine WHERE lifted_at IS NULL
$$;

-- Samples that nobody has judged, over all tenants, and since when the oldest waits. Index: samples_to_judge.
CREATE FUNCTION count_waiting_samples_v1() RETURNS TABLE (samples bigint, waits_since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*), min(created_at) FROM review_sample WHERE verdict IS NULL
$$;
