-- Purpose: as enter_messages_v1 (0005_entering.sql), for the users of a batch in one transaction: who holds several locks waits for the
-- lock of no known user, or two batches could wait for each other; new users are made in one order in every process, so that there one
-- waits and never each for the other. Without is_waiting a user whose lock another writer has gives no row.
-- v1 stays for the processes of the version before, while an update is under way.
CREATE FUNCTION enter_messages_v2(
  entering_tenant_id uuid, entering_external_id varchar, fresh_id uuid, entered_at timestamptz,
  named varchar[], fresh_conversation_ids uuid[], wanted_client_ids varchar[],
  is_waiting boolean)
RETURNS TABLE (
  user_id uuid, fenced_at timestamptz, has_tombstones boolean, may_be_erased boolean, log_position bigint, has_facts boolean,
  external_id varchar, conversation_id uuid, last_seq integer, last_message_at timestamptz,
  seen_client_ids varchar[], seen_ids uuid[], seen_hashes bytea[])
-- Arrays of one name would be planned for anew each time, for ten times what the plan then costs.
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  entered record;
  known record;
  known_id uuid;
  stored integer;
BEGIN
  IF NOT is_waiting THEN
    SELECT u.id INTO known_id FROM memory_user u
     WHERE u.tenant_id = entering_tenant_id AND u.external_id = entering_external_id;
    -- Who is new may have been erased: such a one is made only where the tombstones are looked at (D-29).
    IF known_id IS NULL AND EXISTS (SELECT FROM memory_tombstone t WHERE t.tenant_id = entering_tenant_id) THEN
      RETURN;
    ELSIF known_id IS NOT NULL AND NOT pg_try_advisory_xact_lock(hashtextextended(known_id::text, 20260221)) THEN
      RETURN;
    END IF;
  END IF;
  SELECT e.user_id, e.fenced_at, e.has_tombstones, e.may_be_erased INTO entered
    FROM enter_user_v2(entering_tenant_id, entering_external_id, fresh_id, entered_at) e;
  -- Before whom tombstones stand is entered alone: a refusal then takes the conversation back that was made for it (D-29).
  IF NOT FOUND OR (entered.has_tombstones AND NOT is_waiting) THEN
    RETURN;
  END IF;
  SELECT u.log_position, EXISTS (SELECT FROM user_knowledge k WHERE k.user_id = u.id AND k.is_active) AS has_facts
    INTO known FROM memory_user u WHERE u.id = entered.user_id;
  IF entered.fenced_at IS NOT NULL THEN
    RETURN QUERY SELECT entered.user_id, entered.fenced_at, entered.has_tombstones, entered.may_be_erased,
      known.log_position, known.has_facts, NULL::varchar, NULL::uuid, NULL::integer, NULL::timestamptz,
      NULL::varchar[], NULL::uuid[], NULL::bytea[];
    RETURN;
  END IF;
  RETURN QUERY
    SELECT entered.user_id, entered.fenced_at, entered.has_tombstones, entered.may_be_erased, known.log_position,
           known.has_facts, c.external_id, c.id, c.last_seq, c.last_message_at, seen.client_ids, seen.ids, seen.hashes
      FROM memory_conversation c
      LEFT JOIN LATERAL (
        SELECT array_agg(m.client_id) AS client_ids, array_agg(m.id) AS ids, array_agg(m.content_hash) AS hashes
          FROM memory_message m
         WHERE m.user_id = entered.user_id AND m.conversation_id = c.id AND m.client_id = ANY(wanted_client_ids)) seen
        ON cardinality(wanted_client_ids) > 0
     WHERE c.user_id = entered.user_id AND c.external_id = ANY(named);
  GET DIAGNOSTICS stored = ROW_COUNT;
  IF stored < cardinality(named) THEN
    RETURN QUERY
      WITH made AS (
        INSERT INTO memory_conversation (tenant_id, user_id, id, external_id, created_at)
        SELECT entering_tenant_id, entered.user_id, fresh.id, fresh.name, entered_at
          FROM unnest(fresh_conversation_ids, named) AS fresh (id, name)
         WHERE NOT EXISTS (
           SELECT FROM memory_conversation c WHERE c.user_id = entered.user_id AND c.external_id = fresh.name)
        RETURNING external_id, id, last_seq)
      SELECT entered.user_id, entered.fenced_at, entered.has_tombstones, entered.may_be_erased, known.log_position,
             known.has_facts, made.external_id, made.id, made.last_seq, NULL::timestamptz, NULL::varchar[], NULL::uuid[],
             NULL::bytea[]
        FROM made;
  END IF;
END $$;
