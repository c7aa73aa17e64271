-- Purpose: how far a night's calibration of a tenant has come, and what it did (SPEC P-9). Counts; no user data.
CREATE TABLE calibration_night (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid PRIMARY KEY,
  night date NOT NULL,
  began_at timestamptz NOT NULL,
  finished_at timestamptz,
  last_user_id uuid,
  users integer NOT NULL DEFAULT 0,
  left_out integer NOT NULL DEFAULT 0,
  raised integer NOT NULL DEFAULT 0,
  lowered integer NOT NULL DEFAULT 0,
  to_remove integer NOT NULL DEFAULT 0,
  merged integer NOT NULL DEFAULT 0,
  -- Serves also: the last nights of a tenant.
  CONSTRAINT a_tenant_has_one_calibration_a_night UNIQUE (tenant_id, night),
  CONSTRAINT a_finished_night_stands_at_no_user CHECK (finished_at IS NULL OR last_user_id IS NULL),
  CONSTRAINT a_night_counts_from_nothing CHECK (least(users, left_out, raised, lowered, to_remove, merged) >= 0)
);

-- Facts that a person is to keep or remove, over all tenants: for metrics. Index: facts_that_are_hardly_believed.
CREATE FUNCTION count_facts_to_remove_v1() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*) FROM user_knowledge k
   WHERE k.is_active AND k.confidence < 0.2 AND NOT EXISTS (
     SELECT FROM memory_action a WHERE a.user_id = k.user_id AND a.kind = 'calibrate'
        AND a.detail ->> 'fact_id' = k.id::text AND a.detail ->> 'decision' = 'keep' AND NOT EXISTS (
          SELECT FROM memory_action l WHERE l.user_id = a.user_id AND l.kind = 'calibrate'
             AND l.detail ->> 'fact_id' = a.detail ->> 'fact_id' AND l.position > a.position))
$$;
