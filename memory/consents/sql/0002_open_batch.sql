-- Purpose: open a batch of messages in one statement: its users under their locks, and all that their new messages need to know (D-6, D-7).
-- What is read goes out as json: jsonb would be built of each row only to be written out again, at twice the cost.

-- The conversations that a user's messages name, with the stored messages that have one of the client ids, and the last turn where it is
-- asked for. New conversations are made. Indexes: a_conversation_id_is_unique_within_its_user, a_client_id_is_unique_in_its_conversation.
CREATE FUNCTION open_conversations_v2(
  its_tenant_id uuid, its_user_id uuid, names varchar[], fresh_ids uuid[], client_ids varchar[], turn_length integer, opened_at timestamptz)
RETURNS text LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO memory_conversation (tenant_id, user_id, id, external_id, created_at)
  SELECT its_tenant_id, its_user_id, fresh.id, fresh.name, opened_at FROM unnest(fresh_ids, names) AS fresh (id, name)
   WHERE NOT EXISTS (SELECT FROM memory_conversation c WHERE c.user_id = its_user_id AND c.external_id = fresh.name);
  RETURN (
    SELECT json_agg(json_build_object(
      'name', c.external_id, 'id', c.id, 'last_seq', c.last_seq, 'last_message_at', c.last_message_at,
      'repeats', CASE WHEN cardinality(client_ids) > 0 THEN (
        SELECT json_agg(json_build_object('client_id', m.client_id, 'id', m.id, 'content_hash', encode(m.content_hash, 'hex')))
          FROM memory_message m
         WHERE m.user_id = its_user_id AND m.conversation_id = c.id AND m.client_id = ANY(client_ids)) END,
      'turn', CASE WHEN turn_length > 0 THEN (
        SELECT json_agg(p ORDER BY p.created_at DESC, p.seq DESC)
          FROM list_previous_messages_v1(its_user_id, c.id, 'infinity', 0, turn_length) p) END))
      FROM memory_conversation c WHERE c.user_id = its_user_id AND c.external_id = ANY(names));
END $$;

-- One row for each user that can be written for now. A batch of several users waits for the lock of none that exists, or two batches could
-- wait for each other; new users are made in the order of the rows, which is the same in every process. Whoever is busy, or has
-- tombstones, gives no row: the caller opens that user alone, where waiting and refusing harm nobody else. Alone, a user behind a fence
-- gives a row with `fenced_at`, one who is paused a row that is refusing, and one whose messages may not be kept a row that says what is
-- withheld; nothing is made for any of them.
-- Indexes: an_external_id_is_one_user_of_a_tenant, a_key_has_one_active_fact, an_item_is_held_once.
CREATE FUNCTION open_batch_v4(its_tenant_id uuid, users json, turn_length integer, opened_at timestamptz, is_alone boolean)
RETURNS TABLE (
  place integer, user_id uuid, fenced_at timestamptz, has_tombstones boolean, may_be_erased boolean, log_position bigint,
  has_facts boolean, has_items boolean, conversations text, facts text, withheld text[], is_refusing boolean)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  wanted record;
  reads_facts boolean;
  has_purposes boolean := EXISTS (SELECT FROM purpose p WHERE p.tenant_id = its_tenant_id AND p.ended_at IS NULL);
  is_kept boolean;
BEGIN
  FOR wanted IN SELECT * FROM json_to_recordset(users) AS w (
    place integer, external_id varchar, fresh_id uuid, names varchar[], fresh_ids uuid[], client_ids varchar[], may_change_facts boolean)
  LOOP
    place := wanted.place;
    may_be_erased := false;
    IF NOT is_alone THEN
      SELECT u.id INTO user_id FROM memory_user u WHERE u.tenant_id = its_tenant_id AND u.external_id = wanted.external_id;
      -- A new user may be an erased one who comes back: such a user is made only where the tombstones are looked at (D-29). One whose
      -- messages may not be kept is not made at all.
      CONTINUE WHEN user_id IS NULL AND (has_purposes OR EXISTS (SELECT FROM memory_tombstone t WHERE t.tenant_id = its_tenant_id));
      CONTINUE WHEN user_id IS NOT NULL AND NOT pg_try_advisory_xact_lock(hashtextextended(user_id::text, 20260221));
    END IF;
    IF is_alone OR user_id IS NULL THEN
      SELECT e.user_id, e.may_be_erased INTO user_id, may_be_erased
        FROM enter_user_v2(its_tenant_id, wanted.external_id, wanted.fresh_id, opened_at) e;
    END IF;
    SELECT u.fenced_at, u.has_tombstones, u.log_position, u.paused_at IS NOT NULL AND NOT u.pause_keeps,
           EXISTS (SELECT FROM user_knowledge k WHERE k.user_id = u.id AND k.is_active),
           EXISTS (SELECT FROM adaptive_item i WHERE i.user_id = u.id AND i.status IN ('waiting', 'active'))
      INTO fenced_at, has_tombstones, log_position, is_refusing, has_facts, has_items
      FROM memory_user u WHERE u.id = open_batch_v4.user_id;
    CONTINUE WHEN NOT FOUND OR (NOT is_alone AND (fenced_at IS NOT NULL OR has_tombstones));
    withheld := CASE WHEN has_purposes THEN withheld_v1(its_tenant_id, user_id) END;
    is_kept := NOT is_refusing AND NOT 'messages' = ANY(coalesce(withheld, '{}'));
    CONTINUE WHEN NOT is_kept AND NOT is_alone;
    reads_facts := has_facts AND wanted.may_change_facts;
    conversations := CASE WHEN fenced_at IS NULL AND is_kept THEN open_conversations_v2(
      its_tenant_id, user_id, wanted.names, wanted.fresh_ids, wanted.client_ids, CASE WHEN reads_facts THEN turn_length ELSE 0 END,
      opened_at) END;
    facts := CASE WHEN reads_facts THEN (
      SELECT json_agg(f) FROM (
        SELECT encode(k.sealed, 'hex') AS sealed, k.id, k.knowledge_type, k.confidence, k.extracted_from, k.provenance, k.valid_at,
               k.last_validated_at, k.log_position, k.version, k.epistemic_type, k.expires_at, k.invalid_at, k.is_active, k.is_disputed,
               k.evidence_message_ids, k.superseded_by, k.language, k.rule, k.rule_version
          FROM user_knowledge k WHERE k.user_id = open_batch_v4.user_id AND k.is_active
         ORDER BY k.log_position, k.id) f) END;
    RETURN NEXT;
  END LOOP;
END $$;

DROP FUNCTION open_batch_v3;
DROP FUNCTION open_conversations_v1;
