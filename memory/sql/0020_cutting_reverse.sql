DROP FUNCTION count_uncut_conversations_v1(timestamptz);
DROP FUNCTION claim_uncut_conversations_v1(timestamptz, interval, interval, integer);
CREATE OR REPLACE FUNCTION store_message_v1(
  storing_tenant_id uuid, its_user_id uuid, its_conversation_id uuid, its_seq integer, new_message json)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE fresh record;
BEGIN
  SELECT * INTO fresh FROM json_to_record(new_message) AS n (
    id uuid, client_id varchar, content_hash bytea, role varchar, speaker varchar, content text, blocks text,
    response_description text, memory_type varchar, mood varchar, metadata text, language varchar,
    created_at timestamptz, received_at timestamptz, reply_to_id uuid, replaces_id uuid, receipt_id uuid);
  INSERT INTO memory_message (tenant_id, user_id, id, conversation_id, seq, client_id, content_hash, role, speaker,
    content, blocks, response_description, memory_type, mood, metadata, language, created_at, received_at, reply_to_id,
    replaces_id, receipt_id)
  VALUES (storing_tenant_id, its_user_id, fresh.id, its_conversation_id, its_seq, fresh.client_id, fresh.content_hash,
    fresh.role, coalesce(fresh.speaker, ''), fresh.content, fresh.blocks::jsonb, fresh.response_description,
    fresh.memory_type, coalesce(fresh.mood, ''), coalesce(fresh.metadata, '{}')::jsonb, fresh.language,
    fresh.created_at, fresh.received_at, fresh.reply_to_id, fresh.replaces_id, fresh.receipt_id);
  UPDATE memory_conversation c SET
    last_seq = greatest(c.last_seq, its_seq), last_message_at = greatest(c.last_message_at, fresh.created_at),
    pending_count = c.pending_count + 1, pending_since = coalesce(c.pending_since, fresh.received_at)
   WHERE c.user_id = its_user_id AND c.id = its_conversation_id;
END $$;
DELETE FROM memory_action WHERE kind IN ('close', 'anchor');
ALTER TABLE memory_action DROP CONSTRAINT an_action_is_of_a_known_kind;
ALTER TABLE memory_action ADD CONSTRAINT an_action_is_of_a_known_kind CHECK (kind IN (
    'instant', 'correction', 'onboarding', 'explicit', 'confirm', 'dispute', 'retract', 'edit', 'forget', 'restore',
    'expire', 'extraction', 'verdict', 'withdraw'));
DROP INDEX conversations_to_cut;
ALTER TABLE memory_conversation DROP COLUMN cut_due_at, DROP COLUMN cut_seq;
