-- Purpose: what alerts look at, over all tenants: how many have extraction paused, off, out of tokens, or a slice held back.
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
