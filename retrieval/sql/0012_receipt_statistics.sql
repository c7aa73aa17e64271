-- Purpose: no partition of receipts keeps samples of what a person wrote (SPEC G-3), and an ANALYZE of receipts costs little.
-- A partition does not take over from its parent which columns have no statistics: those made later than the columns were
-- told so had samples of moods. Statistics of lists serve no plan, receipts are found by user or id, and made ANALYZE of
-- 30,000 receipts take 3.2 s instead of 0.2, on a processor that searches then wait for (bench/results.md).
ALTER TABLE retrieval_receipt
  ALTER query_hash SET STATISTICS 0, ALTER rendering_hash SET STATISTICS 0, ALTER mood SET STATISTICS 0,
  ALTER reply_model SET STATISTICS 0, ALTER candidate_ids SET STATISTICS 0, ALTER candidate_scores SET STATISTICS 0,
  ALTER chosen_ids SET STATISTICS 0, ALTER chosen_scores SET STATISTICS 0, ALTER decision_reasons SET STATISTICS 0,
  ALTER guardrail_hits SET STATISTICS 0, ALTER span_ids SET STATISTICS 0, ALTER fact_ids SET STATISTICS 0,
  ALTER recent_ids SET STATISTICS 0, ALTER pending_ids SET STATISTICS 0, ALTER unproven_ids SET STATISTICS 0,
  ALTER degraded_reasons SET STATISTICS 0, ALTER stores SET STATISTICS 0, ALTER budget SET STATISTICS 0,
  ALTER timings SET STATISTICS 0;

-- What was sampled stays where ANALYZE no longer looks.
SELECT pg_clear_attribute_stats('public', c.relname, a.attname, c.relkind = 'p')
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE (c.oid = 'retrieval_receipt'::regclass
        OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'retrieval_receipt'::regclass))
   AND a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget = 0;

-- As in 0001; a partition is told what its parent was told.
CREATE OR REPLACE FUNCTION prepare_receipt_partitions_v1(p_day date, p_days integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  day date; name text; col text; made integer := 0;
BEGIN
  FOR day IN SELECT p_day + n FROM generate_series(0, least(p_days, 60) - 1) n LOOP
    name := 'retrieval_receipt_' || to_char(day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass(name) IS NOT NULL;
    BEGIN
      EXECUTE format('CREATE TABLE %I PARTITION OF retrieval_receipt FOR VALUES FROM (%L) TO (%L)', name,
                     first_uuid_of_v1(day::timestamp AT TIME ZONE 'UTC'),
                     first_uuid_of_v1((day + 1)::timestamp AT TIME ZONE 'UTC'));
      EXECUTE format('REVOKE ALL ON %I FROM unde_app, unde_worker', name);
      FOR col IN SELECT attname FROM pg_attribute
                 WHERE attrelid = 'retrieval_receipt'::regclass AND attnum > 0 AND attstattarget = 0 LOOP
        EXECUTE format('ALTER TABLE %I ALTER %I SET STATISTICS 0', name, col);
      END LOOP;
      made := made + 1;
    EXCEPTION WHEN check_violation THEN
      RAISE NOTICE 'receipts of % stay in the default partition', day;
    END;
  END LOOP;
  RETURN made;
END $$;
