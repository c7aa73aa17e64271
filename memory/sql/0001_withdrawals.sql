-- Purpose: facts of rules that were taken back: found by rule, closed by an action of its own kind, as work in the background.

CREATE TABLE memory_fact_job (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL PRIMARY KEY,
  kind varchar(8) NOT NULL,
  rule varchar(120) NOT NULL,
  rule_versions integer[] NOT NULL,
  of_job_id uuid REFERENCES memory_fact_job (id) ON DELETE SET NULL,
  has_all_users boolean NOT NULL DEFAULT false,
  state varchar(9) NOT NULL DEFAULT 'queued',
  requested_by varchar(80) NOT NULL,
  users_total integer,
  users_done integer NOT NULL DEFAULT 0,
  users_left_out integer NOT NULL DEFAULT 0,
  counts jsonb NOT NULL DEFAULT '{}',
  error_code varchar(40) NOT NULL DEFAULT '',
  cursor_id uuid,
  created_at timestamptz NOT NULL,
  heartbeat_at timestamptz,
  finished_at timestamptz,
  CONSTRAINT work_on_facts_is_of_a_known_kind CHECK (kind IN ('close', 'reopen', 'preview', 'reread')),
  CONSTRAINT work_on_facts_has_a_known_state CHECK (state IN ('queued', 'running', 'done', 'cancelled', 'failed')),
  CONSTRAINT closing_names_the_versions_whose_facts_it_closes CHECK (
    kind NOT IN ('close', 'reopen') OR cardinality(rule_versions) > 0),
  CONSTRAINT only_a_reading_is_of_all_users CHECK (kind IN ('preview', 'reread') OR NOT has_all_users)
);
-- Proves that a rule has one work at a time in a tenant.
CREATE UNIQUE INDEX a_rule_has_one_work_on_facts_at_a_time ON memory_fact_job (tenant_id, rule)
  WHERE state IN ('queued', 'running');
-- Serves: the works of a rule, newest first.
CREATE INDEX works_of_a_rule ON memory_fact_job (tenant_id, rule, id DESC);

-- Workers see across tenants only through this: open works that no worker is at, each given out once (D-14).
CREATE FUNCTION claim_fact_jobs_v1(claimed_at timestamptz, stale_before timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, job_id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE memory_fact_job j SET state = 'running', heartbeat_at = claim_fact_jobs_v1.claimed_at
   WHERE j.id IN (
     SELECT w.id FROM memory_fact_job w
      WHERE w.state = 'queued' OR (w.state = 'running' AND w.heartbeat_at < stale_before)
      ORDER BY w.id LIMIT at_most FOR UPDATE SKIP LOCKED)
  RETURNING j.tenant_id, j.id
$$;
