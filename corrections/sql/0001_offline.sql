-- Purpose: runs of the offline measures, notices before a rule is held back, and figures of both (SPEC Q-3, X-4).
-- No words of users. `after_id` is a user's id while a run is under way.
CREATE TABLE quality_run (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid PRIMARY KEY,
  indicator varchar(40) NOT NULL,
  share double precision NOT NULL,
  began_at timestamptz NOT NULL,
  worked_at timestamptz NOT NULL,
  after_id uuid,
  users integer NOT NULL DEFAULT 0,
  skipped integer NOT NULL DEFAULT 0,
  counts jsonb NOT NULL DEFAULT '{}',
  finished_at timestamptz,
  CONSTRAINT a_run_measures_misses_or_repeats CHECK (indicator IN ('retrieval_miss_rate', 'user_repeated_info')),
  CONSTRAINT a_run_looks_at_a_share_of_users CHECK (share > 0 AND share <= 1),
  CONSTRAINT no_more_users_are_skipped_than_looked_at CHECK (skipped BETWEEN 0 AND users),
  CONSTRAINT a_finished_run_names_no_user CHECK (finished_at IS NULL OR after_id IS NULL)
);
-- Serves: the run to go on with.
CREATE UNIQUE INDEX a_measure_has_one_open_run ON quality_run (tenant_id, indicator, (share < 1))
  WHERE finished_at IS NULL;
-- Serves: the last finished run of a measure at a moment.
CREATE INDEX finished_runs_of_a_measure ON quality_run (tenant_id, indicator, began_at) WHERE finished_at IS NOT NULL;

CREATE TABLE corrections_rule_warning (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid PRIMARY KEY,
  rule varchar(120) NOT NULL,
  rule_version integer NOT NULL,
  judged integer NOT NULL,
  right_count integer NOT NULL,
  warned_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  ended_at timestamptz,
  ended_by varchar(80) NOT NULL DEFAULT '',
  outcome varchar(12) NOT NULL DEFAULT '',
  CONSTRAINT a_warning_rests_on_verdicts CHECK (judged > 0 AND right_count BETWEEN 0 AND judged),
  CONSTRAINT a_warning_leaves_time_to_act CHECK (due_at > warned_at),
  CONSTRAINT an_ended_warning_says_how_and_by_whom CHECK (
    CASE WHEN ended_at IS NULL THEN outcome = '' AND ended_by = ''
    ELSE outcome IN ('quarantined', 'recovered', 'replaced', 'kept') AND ended_by <> '' END)
);
CREATE UNIQUE INDEX a_version_has_one_open_warning ON corrections_rule_warning (tenant_id, rule, rule_version)
  WHERE ended_at IS NULL;
-- Serves: warnings that were open at a moment.
CREATE INDEX warnings_of_a_tenant ON corrections_rule_warning (tenant_id, warned_at);

-- The last finished run of each tenant and measure, added up by language: for metrics. Counts alone.
CREATE FUNCTION read_offline_languages_v1()
RETURNS TABLE (indicator varchar, language text, n bigint, bad bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT l.indicator, c.key, sum((c.value ->> 0)::bigint)::bigint, sum((c.value ->> 1)::bigint)::bigint
    FROM (SELECT DISTINCT ON (r.tenant_id, r.indicator) r.indicator, r.counts FROM quality_run r
           WHERE r.finished_at IS NOT NULL ORDER BY r.tenant_id, r.indicator, r.began_at DESC) l
   CROSS JOIN LATERAL jsonb_each(l.counts) c
   GROUP BY 1, 2
$$;
-- Decided items and how many of them were right, by rule, prompt, model and language, over all tenants: the most judged
-- values of each. Index: items_by_decision.
CREATE FUNCTION count_precision_v1(since timestamptz, most integer)
RETURNS TABLE (slice text, value text, judged bigint, right_count bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT c.slice, c.value, c.judged, c.right_count FROM (
    SELECT s.slice, s.value, count(*) AS judged, count(*) FILTER (WHERE i.verdict = 'correct') AS right_count,
           row_number() OVER (PARTITION BY s.slice ORDER BY count(*) DESC, s.value) AS place
      FROM corrections_review_item i
     CROSS JOIN LATERAL (VALUES
       ('rule', CASE WHEN i.rule = '' THEN '' ELSE i.rule || coalesce(' v' || i.rule_version, '') END),
       ('prompt', i.prompt_version), ('model', i.model), ('language', i.language)) AS s (slice, value)
     WHERE i.state = 'decided' AND i.decided_at >= since AND i.source <> 'message' AND s.value <> ''
     GROUP BY 1, 2) c
   WHERE c.place <= most
$$;
