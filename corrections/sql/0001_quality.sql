-- Purpose: figures of quality over time, and what the governor did about them (SPEC Q-1 to Q-3). No user data.
CREATE TABLE quality_trend (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid PRIMARY KEY,
  indicator varchar(40) NOT NULL,
  measured_at timestamptz NOT NULL,
  value double precision,
  n bigint NOT NULL,
  state varchar(8) NOT NULL,
  pass_limit double precision NOT NULL,
  fail_limit double precision NOT NULL,
  release varchar(40) NOT NULL,
  -- Serves also: the last figure of an indicator, and its trend.
  CONSTRAINT an_indicator_is_measured_once_at_a_time UNIQUE (tenant_id, indicator, measured_at),
  CONSTRAINT a_level_is_pass_observe_or_fail CHECK (state IN ('PASS', 'OBSERVE', 'FAIL')),
  CONSTRAINT a_figure_of_something_has_a_value CHECK (n >= 0 AND (n = 0 OR value IS NOT NULL))
);
CREATE TABLE governor_action (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid PRIMARY KEY,
  action varchar(20) NOT NULL,
  reason varchar(40) NOT NULL,
  value double precision NOT NULL,
  touched integer NOT NULL DEFAULT 0,
  began_at timestamptz NOT NULL,
  ended_at timestamptz,
  ended_by varchar(80) NOT NULL DEFAULT '',
  CONSTRAINT the_governor_cleans_up_or_asks CHECK (action IN ('clean_up', 'conflicts')),
  CONSTRAINT an_ended_action_names_who_ended_it CHECK ((ended_at IS NULL) = (ended_by = '')),
  CONSTRAINT an_action_ends_after_it_began CHECK (ended_at IS NULL OR ended_at >= began_at)
);
-- Serves: what is open, and what was open at a moment.
CREATE UNIQUE INDEX the_governor_does_a_thing_once_at_a_time ON governor_action (tenant_id, action)
  WHERE ended_at IS NULL;
CREATE INDEX governor_actions_of_a_tenant ON governor_action (tenant_id, began_at);

-- The last figure of each tenant and indicator, added up: for metrics. Counts and rates only.
CREATE FUNCTION read_quality_v1()
RETURNS TABLE (indicator varchar, state varchar, tenants bigint, n bigint, total double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT l.indicator, l.state, count(*), coalesce(sum(l.n), 0)::bigint, coalesce(sum(l.value * l.n), 0)
    FROM (SELECT DISTINCT ON (q.tenant_id, q.indicator) q.indicator, q.state, q.n, q.value FROM quality_trend q
           ORDER BY q.tenant_id, q.indicator, q.measured_at DESC) l
   GROUP BY 1, 2
$$;
-- What the governor has open, over all tenants.
CREATE FUNCTION count_governor_actions_v1() RETURNS TABLE (action varchar, tenants bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT g.action, count(*) FROM governor_action g WHERE g.ended_at IS NULL GROUP BY 1
$$;
-- Vectors to be made by priority, over all tenants. Index: embedding_tasks_to_claim.
CREATE FUNCTION count_embedding_priorities_v1() RETURNS TABLE (priority smallint, pending bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.priority, count(*) FROM embedding_task t WHERE t.orphaned_at IS NULL GROUP BY 1
$$;
-- Messages that wait for extraction, of the user who is worse off than 95 in 100. Index: conversations_with_pending.
CREATE FUNCTION measure_pending_extractions_v1() RETURNS TABLE (users bigint, p95 double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*), percentile_cont(0.95) WITHIN GROUP (ORDER BY w.messages)
    FROM (SELECT sum(c.pending_count) AS messages FROM memory_conversation c WHERE c.pending_since IS NOT NULL
           GROUP BY c.user_id) w
$$;
-- Verdicts on changes by extraction since a moment, over all tenants. Index: samples_by_verdict.
CREATE FUNCTION count_review_errors_v1(since timestamptz) RETURNS TABLE (judged bigint, wrong bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*), count(*) FILTER (WHERE s.verdict <> 'correct') FROM review_sample s
   WHERE s.verdict IS NOT NULL AND s.judged_at >= since
$$;
