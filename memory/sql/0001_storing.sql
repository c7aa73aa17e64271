-- Purpose: what the statement that opens a batch of messages calls (open_batch_v3 in memory/consents/sql): the conversations are found or
-- made, with repeated client ids and the last turns that the messages may change (D-6, D-7).

-- What was said before a place in a conversation, newest first. Forgotten messages, older versions of edited messages and replies that
-- were regenerated are left out (D-4). Index: messages_as_said.
CREATE FUNCTION list_previous_messages_v1(
  its_user_id uuid, its_conversation_id uuid, said_before timestamptz, before_seq integer, at_most integer)
RETURNS SETOF memory_message LANGUAGE sql STABLE AS $$
  SELECT m.* FROM memory_message m
   WHERE m.user_id = its_user_id AND m.conversation_id = its_conversation_id
     AND m.forgotten_at IS NULL AND (m.created_at, m.seq) < (said_before, before_seq)
     AND NOT EXISTS (SELECT FROM memory_message newer WHERE newer.user_id = m.user_id AND newer.replaces_id = m.id)
     AND NOT (m.role = 'assistant' AND m.reply_to_id IS NOT NULL AND EXISTS (
       SELECT FROM memory_message sibling WHERE sibling.user_id = m.user_id AND sibling.reply_to_id = m.reply_to_id
        AND sibling.role = 'assistant' AND sibling.conversation_id = m.conversation_id AND sibling.seq > m.seq))
   ORDER BY m.created_at DESC, m.seq DESC LIMIT at_most
$$;

-- The conversations that a user's messages name, with the stored messages that have one of the client ids, and the last turn where it is
-- asked for. New conversations are made. Indexes: a_conversation_id_is_unique_within_its_user, a_client_id_is_unique_in_its_conversation.
CREATE FUNCTION open_conversations_v1(
  its_tenant_id uuid, its_user_id uuid, names varchar[], fresh_ids uuid[], client_ids varchar[], turn_length integer, opened_at timestamptz)
RETURNS jsonb LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO memory_conversation (tenant_id, user_id, id, external_id, created_at)
  SELECT its_tenant_id, its_user_id, fresh.id, fresh.name, opened_at FROM unnest(fresh_ids, names) AS fresh (id, name)
   WHERE NOT EXISTS (SELECT FROM memory_conversation c WHERE c.user_id = its_user_id AND c.external_id = fresh.name);
  RETURN (
    SELECT jsonb_agg(jsonb_build_object(
      'name', c.external_id, 'id', c.id, 'last_seq', c.last_seq, 'last_message_at', c.last_message_at,
      'repeats', CASE WHEN cardinality(client_ids) > 0 THEN (
        SELECT jsonb_agg(jsonb_build_object('client_id', m.client_id, 'id', m.id, 'content_hash', encode(m.content_hash, 'hex')))
          FROM memory_message m
         WHERE m.user_id = its_user_id AND m.conversation_id = c.id AND m.client_id = ANY(client_ids)) END,
      'turn', CASE WHEN turn_length > 0 THEN (
        SELECT jsonb_agg(to_jsonb(p) - 'content_hash' ORDER BY p.created_at DESC, p.seq DESC)
          FROM list_previous_messages_v1(its_user_id, c.id, 'infinity', 0, turn_length) p) END))
      FROM memory_conversation c WHERE c.user_id = its_user_id AND c.external_id = ANY(names));
END $$;
