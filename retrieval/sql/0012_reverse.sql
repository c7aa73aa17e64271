-- Purpose: take back 0012_receipt_statistics.sql. What a person wrote stays out of statistics where it was.
ALTER TABLE retrieval_receipt
  ALTER candidate_ids SET STATISTICS -1, ALTER candidate_scores SET STATISTICS -1, ALTER chosen_ids SET STATISTICS -1,
  ALTER chosen_scores SET STATISTICS -1, ALTER decision_reasons SET STATISTICS -1, ALTER guardrail_hits SET STATISTICS -1,
  ALTER span_ids SET STATISTICS -1, ALTER fact_ids SET STATISTICS -1, ALTER recent_ids SET STATISTICS -1,
  ALTER pending_ids SET STATISTICS -1, ALTER unproven_ids SET STATISTICS -1, ALTER degraded_reasons SET STATISTICS -1,
  ALTER stores SET STATISTICS -1, ALTER budget SET STATISTICS -1, ALTER timings SET STATISTICS -1;

CREATE OR REPLACE FUNCTION prepare_receipt_partitions_v1(p_day date, p_days integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  day date; name text; made integer := 0;
BEGIN
  FOR day IN SELECT p_day + n FROM generate_series(0, least(p_days, 60) - 1) n LOOP
    name := 'retrieval_receipt_' || to_char(day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass(name) IS NOT NULL;
    BEGIN
      EXECUTE format('CREATE TABLE %I PARTITION OF retrieval_receipt FOR VALUES FROM (%L) TO (%L)', name,
                     first_uuid_of_v1(day::timestamp AT TIME ZONE 'UTC'),
                     first_uuid_of_v1((day + 1)::timestamp AT TIME ZONE 'UTC'));
      EXECUTE format('REVOKE ALL ON %I FROM unde_app, unde_worker', name);
      made := made + 1;
    EXCEPTION WHEN check_violation THEN
      RAISE NOTICE 'receipts of % stay in the default partition', day;
    END;
  END LOOP;
  RETURN made;
END $$;
