-- Purpose: the functions of the room that reach across tenants (workers only), and the partitions of receipts.

-- Takes up to p_limit due tasks of one model, oldest of the highest priority first, and counts the attempt.
-- A task claimed more than 10 minutes ago counts as due again: its worker died. Index: embedding_tasks_to_claim.
CREATE FUNCTION claim_embedding_tasks_v1(p_model_id smallint, p_now timestamptz, p_limit integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, message_id uuid, attempts smallint)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE embedding_task t SET claimed_at = p_now, attempts = t.attempts + 1
  FROM (SELECT e.user_id, e.message_id, e.model_id FROM embedding_task e
        WHERE e.model_id = p_model_id AND e.orphaned_at IS NULL AND e.available_at <= p_now
          AND (e.claimed_at IS NULL OR e.claimed_at < p_now - interval '10 minutes')
        ORDER BY e.priority, e.available_at LIMIT p_limit FOR UPDATE SKIP LOCKED) due
  WHERE t.user_id = due.user_id AND t.message_id = due.message_id AND t.model_id = due.model_id
  RETURNING t.tenant_id, t.user_id, t.message_id, t.attempts
$$;

-- The sweep of SPEC E-2: what is older than an hour and was tried fewer than 3 times is due now, at recovery priority;
-- what was tried 3 times becomes an orphan. Orphans get another try a day after the last one, at most p_limit at a time:
-- what refused a message may have been mended since. Returns how many were made due, became orphans, are tried again.
CREATE FUNCTION sweep_embedding_tasks_v2(p_now timestamptz, p_limit integer)
RETURNS TABLE (requeued bigint, orphaned bigint, retried bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH orphans AS (
    UPDATE embedding_task SET orphaned_at = p_now, claimed_at = NULL
    WHERE orphaned_at IS NULL AND attempts >= 3 AND (claimed_at IS NULL OR claimed_at < p_now - interval '10 minutes')
    RETURNING 1),
  again AS (
    UPDATE embedding_task t SET orphaned_at = NULL, claimed_at = NULL, attempts = 2, priority = 2, available_at = p_now
    FROM (SELECT e.user_id, e.message_id, e.model_id FROM embedding_task e
           WHERE e.orphaned_at < p_now - interval '23 hours'
           ORDER BY e.orphaned_at LIMIT p_limit FOR UPDATE SKIP LOCKED) old
    WHERE t.user_id = old.user_id AND t.message_id = old.message_id AND t.model_id = old.model_id
    RETURNING 1),
  late AS (
    UPDATE embedding_task SET priority = 2, available_at = p_now, claimed_at = NULL
    WHERE orphaned_at IS NULL AND attempts < 3 AND received_at < p_now - interval '1 hour'
      AND (claimed_at IS NULL OR claimed_at < p_now - interval '10 minutes')
    RETURNING 1)
  SELECT (SELECT count(*) FROM late), (SELECT count(*) FROM orphans), (SELECT count(*) FROM again)
$$;

-- What waits, what is stuck: for readiness, doctor and metrics. Counts only.
CREATE FUNCTION count_embedding_tasks_v1()
RETURNS TABLE (model_id smallint, pending bigint, orphaned bigint, oldest timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.model_id, count(*) FILTER (WHERE t.orphaned_at IS NULL), count(*) FILTER (WHERE t.orphaned_at IS NOT NULL),
         min(t.received_at) FILTER (WHERE t.orphaned_at IS NULL)
  FROM embedding_task t GROUP BY t.model_id
$$;

-- After a change of the embedding model: a task for every indexed message that has no vector of p_model_id, in portions.
CREATE FUNCTION plan_embedding_tasks_v1(p_model_id smallint, p_now timestamptz, p_limit integer) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH added AS (
    INSERT INTO embedding_task (tenant_id, user_id, message_id, model_id, priority, available_at, received_at)
    SELECT i.tenant_id, i.user_id, i.message_id, p_model_id, 1, p_now, p_now FROM message_index i
    WHERE NOT EXISTS (SELECT FROM message_embedding e
                      WHERE e.user_id = i.user_id AND e.model_id = p_model_id AND e.message_id = i.message_id)
      AND NOT EXISTS (SELECT FROM embedding_task t
                      WHERE t.user_id = i.user_id AND t.model_id = p_model_id AND t.message_id = i.message_id)
    LIMIT p_limit ON CONFLICT DO NOTHING RETURNING 1)
  SELECT count(*) FROM added
$$;

-- The first UUIDv7 of a moment: the milliseconds in front, zeros behind.
CREATE FUNCTION first_uuid_of_v1(p_moment timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog AS $$
  SELECT (lpad(to_hex((extract(epoch FROM p_moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Makes the daily partitions of receipts from p_day on, as far as they are missing. A day that already has rows in the
-- default partition stays there. Partitions are closed to the service roles: the parent's policy guards the rows. A partition does
-- not take over from its parent which columns have no statistics: it is told.
CREATE FUNCTION prepare_receipt_partitions_v1(p_day date, p_days integer) RETURNS integer
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

-- Drops the partitions of receipts whose day ended before p_before (D-21). Returns how many.
CREATE FUNCTION drop_receipt_partitions_v1(p_before date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  part text; dropped integer := 0;
BEGIN
  FOR part IN SELECT c.relname FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
              WHERE h.inhparent = 'retrieval_receipt'::regclass AND c.relname ~ '^retrieval_receipt_\d{8}$'
                AND to_date(right(c.relname, 8), 'YYYYMMDD') < p_before LOOP
    EXECUTE format('DROP TABLE %I', part);
    dropped := dropped + 1;
  END LOOP;
  DELETE FROM retrieval_receipt_rest WHERE id < first_uuid_of_v1(p_before::timestamp AT TIME ZONE 'UTC');
  RETURN dropped;
END $$;

SELECT prepare_receipt_partitions_v1((now() AT TIME ZONE 'UTC')::date, 14);
