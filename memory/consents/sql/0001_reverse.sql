-- Purpose: takes 0001_tables back.
DROP FUNCTION open_batch_v3;
ALTER TABLE memory_action DROP CONSTRAINT an_action_is_of_a_known_kind;
ALTER TABLE memory_action ADD CONSTRAINT an_action_is_of_a_known_kind CHECK (kind IN (
    'instant', 'correction', 'onboarding', 'explicit', 'confirm', 'dispute', 'retract', 'edit', 'forget', 'restore',
    'expire', 'extraction', 'verdict', 'withdraw', 'close', 'anchor', 'calibrate', 'merge', 'part'));

-- One row for each user that can be written for now. A batch of several users waits for the lock of none that exists, or two batches could
-- wait for each other; new users are made in the order of the rows, which is the same in every process. Whoever is busy, or has
-- tombstones, gives no row: the caller opens that user alone, where waiting and refusing harm nobody else. Alone, a user behind a fence
-- gives a row with `fenced_at`, and one who is paused a row that is refusing; nothing is made for either.
-- Index: an_external_id_is_one_user_of_a_tenant, a_key_has_one_active_fact.
CREATE FUNCTION open_batch_v2(its_tenant_id uuid, users json, turn_length integer, opened_at timestamptz, is_alone boolean)
RETURNS TABLE (
  place integer, user_id uuid, fenced_at timestamptz, has_tombstones boolean, may_be_erased boolean, log_position bigint,
  has_facts boolean, conversations jsonb, facts jsonb, is_refusing boolean)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  wanted record;
  known_id uuid;
  reads_facts boolean;
BEGIN
  FOR wanted IN SELECT * FROM json_to_recordset(users) AS w (
    place integer, external_id varchar, fresh_id uuid, names varchar[], fresh_ids uuid[], client_ids varchar[], may_change_facts boolean)
  LOOP
    IF NOT is_alone THEN
      SELECT u.id INTO known_id FROM memory_user u WHERE u.tenant_id = its_tenant_id AND u.external_id = wanted.external_id;
      -- A new user may be an erased one who comes back: such a user is made only where the tombstones are looked at (D-29).
      CONTINUE WHEN known_id IS NULL AND EXISTS (SELECT FROM memory_tombstone t WHERE t.tenant_id = its_tenant_id);
      CONTINUE WHEN known_id IS NOT NULL AND NOT pg_try_advisory_xact_lock(hashtextextended(known_id::text, 20260221));
    END IF;
    SELECT e.user_id, e.fenced_at, e.has_tombstones, e.may_be_erased INTO user_id, fenced_at, has_tombstones, may_be_erased
      FROM enter_user_v2(its_tenant_id, wanted.external_id, wanted.fresh_id, opened_at) e;
    CONTINUE WHEN NOT FOUND OR (NOT is_alone AND (fenced_at IS NOT NULL OR has_tombstones));
    place := wanted.place;
    SELECT u.log_position, EXISTS (SELECT FROM user_knowledge k WHERE k.user_id = u.id AND k.is_active),
           u.paused_at IS NOT NULL AND NOT u.pause_keeps
      INTO log_position, has_facts, is_refusing FROM memory_user u WHERE u.id = open_batch_v2.user_id;
    CONTINUE WHEN is_refusing AND NOT is_alone;
    reads_facts := has_facts AND wanted.may_change_facts;
    conversations := CASE WHEN fenced_at IS NULL AND NOT is_refusing THEN open_conversations_v1(
      its_tenant_id, user_id, wanted.names, wanted.fresh_ids, wanted.client_ids, CASE WHEN reads_facts THEN turn_length ELSE 0 END,
      opened_at) END;
    facts := CASE WHEN reads_facts THEN (
      SELECT jsonb_agg(to_jsonb(k) - 'sealed' - 'key_hash' || jsonb_build_object('sealed', encode(k.sealed, 'hex'))
                       ORDER BY k.log_position, k.id)
        FROM user_knowledge k WHERE k.user_id = open_batch_v2.user_id AND k.is_active) END;
    RETURN NEXT;
  END LOOP;
END $$;

DROP FUNCTION withheld_at_v1;
DROP FUNCTION withheld_v1;
DROP TABLE consent;
DROP FUNCTION keep_consent_v1;
DROP TABLE purpose;
DROP FUNCTION keep_purpose_v1;
