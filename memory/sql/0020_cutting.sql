-- Purpose: which conversations have messages that are not cut into episodes yet, and the actions that say where a cut is (D-44).

-- `cut_due_at` is when the new messages of a conversation are to be looked at, null when there are none; `cut_seq` is the last place
-- that was looked at.
ALTER TABLE memory_conversation
  ADD COLUMN cut_due_at timestamptz,
  ADD COLUMN cut_seq integer NOT NULL DEFAULT 0,
  ADD CONSTRAINT cutting_looks_at_what_was_said CHECK (cut_seq BETWEEN 0 AND last_seq);
UPDATE memory_conversation SET cut_due_at = last_message_at WHERE last_seq > 0;
-- Serves: claim_uncut_conversations_v1. A conversation enters it with its first uncut message: the next ones touch no index.
CREATE INDEX conversations_to_cut ON memory_conversation (cut_due_at) WHERE cut_due_at IS NOT NULL;

ALTER TABLE memory_action DROP CONSTRAINT an_action_is_of_a_known_kind;
ALTER TABLE memory_action ADD CONSTRAINT an_action_is_of_a_known_kind CHECK (kind IN (
    'instant', 'correction', 'onboarding', 'explicit', 'confirm', 'dispute', 'retract', 'edit', 'forget', 'restore',
    'expire', 'extraction', 'verdict', 'withdraw', 'close', 'anchor'));

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
    pending_count = c.pending_count + 1, pending_since = coalesce(c.pending_since, fresh.received_at),
    cut_due_at = coalesce(c.cut_due_at, fresh.created_at)
   WHERE c.user_id = its_user_id AND c.id = its_conversation_id;
END $$;

-- Conversations with uncut messages, each given out once: it comes again when the lease is over and it is not cut. One that is still
-- going on (`is_open`) is put off until its session could be over. Index: conversations_to_cut.
CREATE FUNCTION claim_uncut_conversations_v1(claimed_at timestamptz, lease interval, session_gap interval, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, conversation_id uuid, is_open boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH due AS (
    SELECT c.user_id, c.id, coalesce(c.last_message_at, '-infinity') + session_gap AS over_at
      FROM memory_conversation c WHERE c.cut_due_at <= claimed_at
     ORDER BY c.cut_due_at LIMIT at_most FOR UPDATE SKIP LOCKED),
  moved AS (
    UPDATE memory_conversation c SET cut_due_at = greatest(due.over_at, claimed_at + lease) FROM due
     WHERE c.user_id = due.user_id AND c.id = due.id
    RETURNING c.tenant_id, c.user_id, c.id, due.over_at > claimed_at AS is_open)
  SELECT m.tenant_id, m.user_id, m.id, m.is_open FROM moved m JOIN memory_user u ON u.id = m.user_id AND u.fenced_at IS NULL
$$;

-- How many conversations have messages that are not cut, over all tenants, and since when the first waits. Index: conversations_to_cut.
CREATE FUNCTION count_uncut_conversations_v1(counted_at timestamptz) RETURNS TABLE (conversations bigint, waits_since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*), min(c.cut_due_at) FROM memory_conversation c WHERE c.cut_due_at <= counted_at
$$;
