-- Purpose: signals about what packs carried (SPEC C-4), what replies gave away (SPEC P-6), and usefulness in versions, so that
-- a pack of then can be ranked as then (D-21, D-22).

-- The same signal about the same thing of the same pack counts once.
CREATE TABLE retrieval_feedback (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  receipt_id uuid NOT NULL,
  assistant_message_id uuid,
  message_id uuid,
  fact_id uuid,
  signal varchar(16) NOT NULL,
  created_at timestamptz NOT NULL,
  is_computed boolean NOT NULL DEFAULT false,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_signal_is_used_unused_confirmed_or_corrected CHECK (signal IN ('used', 'unused', 'confirmed', 'corrected')),
  CONSTRAINT a_signal_is_about_a_message_or_a_fact CHECK ((message_id IS NULL) <> (fact_id IS NULL)),
  -- The same signal of a person and of the computation count apart.
  CONSTRAINT a_signal_counts_once UNIQUE NULLS NOT DISTINCT (user_id, receipt_id, message_id, fact_id, signal, is_computed)
);
-- Serves: the nightly job that turns signals into usefulness, and erasure by message.
CREATE INDEX signals_about_a_message ON retrieval_feedback (user_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX signals_about_a_fact ON retrieval_feedback (user_id, fact_id) WHERE fact_id IS NOT NULL;
-- Serves: users_with_new_signals_v1.
CREATE INDEX signals_by_arrival ON retrieval_feedback (created_at);
-- Serves: users whose facts were judged often enough to be calibrated, over one tenant (SPEC P-9).
CREATE INDEX what_was_said_of_facts ON retrieval_feedback (tenant_id, user_id, fact_id, receipt_id)
  WHERE fact_id IS NOT NULL AND NOT is_computed;

-- What a reply gave away of its pack: a code and what it is about, no text (SPEC P-6).
CREATE TABLE answer_finding (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  receipt_id uuid NOT NULL,
  assistant_message_id uuid NOT NULL,
  code varchar(32) NOT NULL,
  message_id uuid,
  fact_id uuid,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_finding_is_about_one_thing_at_most CHECK (message_id IS NULL OR fact_id IS NULL),
  CONSTRAINT a_finding_of_a_reply_counts_once UNIQUE NULLS NOT DISTINCT
    (user_id, assistant_message_id, code, message_id, fact_id)
);
-- Serves: a receipt's page, and erasure by message.
CREATE INDEX findings_of_a_receipt ON answer_finding (user_id, receipt_id);
CREATE INDEX findings_about_a_message ON answer_finding (user_id, message_id) WHERE message_id IS NOT NULL;

-- The nightly fold of signals: a version a user, made only when signals came (D-22).
CREATE TABLE ranking_snapshot (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  version integer NOT NULL,
  made_at timestamptz NOT NULL,
  signals integer NOT NULL,
  PRIMARY KEY (user_id, version),
  CONSTRAINT versions_of_a_ranking_begin_at_one CHECK (version > 0)
);
-- A row holds from one version until before another: an older snapshot is read as it was.
CREATE TABLE usefulness (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  item_id uuid NOT NULL,
  is_fact boolean NOT NULL,
  from_version integer NOT NULL,
  until_version integer,
  score real NOT NULL,
  weight real NOT NULL,
  PRIMARY KEY (user_id, item_id, from_version),
  CONSTRAINT usefulness_is_between_nothing_and_all CHECK (score BETWEEN 0 AND 1),
  CONSTRAINT a_version_ends_after_it_began CHECK (until_version IS NULL OR until_version > from_version)
);
CREATE UNIQUE INDEX an_item_has_one_usefulness_at_a_time ON usefulness (user_id, item_id) WHERE until_version IS NULL;

-- Users with signals that no snapshot has seen, for the nightly job. Index: signals_by_arrival.
CREATE FUNCTION users_with_new_signals_v1(p_since timestamptz, p_limit integer)
RETURNS TABLE (tenant_id uuid, user_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT f.tenant_id, f.user_id FROM retrieval_feedback f
  WHERE f.created_at >= p_since AND NOT EXISTS (
    SELECT FROM ranking_snapshot s WHERE s.user_id = f.user_id AND s.made_at >= f.created_at)
  GROUP BY f.tenant_id, f.user_id ORDER BY f.user_id LIMIT p_limit
$$;

-- Messages that searches and packs have just handed out and that have no snippet (SPEC E-3). The receipts are the work
-- list: nothing is written while somebody waits for an answer.
CREATE FUNCTION messages_without_snippet_v1(p_since timestamptz, p_limit integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, message_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT i.tenant_id, i.user_id, i.message_id
  FROM retrieval_receipt r
  CROSS JOIN LATERAL unnest(r.chosen_ids, r.decision_reasons) AS c (message_id, reason)
  JOIN message_index i ON i.user_id = r.user_id AND i.message_id = c.message_id
  WHERE r.id >= first_uuid_of_v1(p_since) AND c.reason = 'chosen' AND i.memory_type NOT IN ('fact', 'event')
    AND NOT EXISTS (SELECT FROM message_snippet s WHERE s.user_id = i.user_id AND s.message_id = i.message_id)
  LIMIT p_limit
$$;
