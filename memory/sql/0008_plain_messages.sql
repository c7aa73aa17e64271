-- Purpose: one new message stored in one call: the statement of raw.py for any number of messages begins and ends for more than one
-- message costs (SPEC M-2, X-1). Both functions are called in scopes with plan_cache_mode = force_generic_plan.

-- The row, and the conversation's counters with since when something waits for extraction.
CREATE FUNCTION store_message_v1(
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

-- A message that touches no fact, of a known user: what enter_messages_v2 looks at, and the row (SPEC M-1; D-6). False, and nothing is
-- written, wherever more is to be done: somebody new, a fence or tombstones, a client id seen before, facts that the message may concern.
-- Indexes: an_external_id_is_one_user_of_a_tenant, a_key_has_one_active_fact, a_conversation_id_is_unique_within_its_user,
-- a_client_id_is_unique_in_its_conversation.
CREATE FUNCTION store_plain_message_v1(
  storing_tenant_id uuid, named_user varchar, named_conversation varchar, fresh_conversation_id uuid, stored_at timestamptz,
  may_concern_facts boolean, named_id varchar, new_message json)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  known_id uuid;
  conversation record;
BEGIN
  SELECT u.id INTO known_id FROM memory_user u WHERE u.tenant_id = storing_tenant_id AND u.external_id = named_user;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM lock_user_v1(known_id);
  -- Only now: what the last holder of the lock committed.
  PERFORM FROM memory_user u WHERE u.id = known_id AND u.fenced_at IS NULL AND NOT u.has_tombstones;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF may_concern_facts AND EXISTS (SELECT FROM user_knowledge k WHERE k.user_id = known_id AND k.is_active) THEN
    RETURN false;
  END IF;
  SELECT c.id, c.last_seq INTO conversation FROM memory_conversation c
   WHERE c.user_id = known_id AND c.external_id = named_conversation;
  IF NOT FOUND THEN
    INSERT INTO memory_conversation (tenant_id, user_id, id, external_id, created_at)
    VALUES (storing_tenant_id, known_id, fresh_conversation_id, named_conversation, stored_at)
    RETURNING id, last_seq INTO conversation;
  ELSIF named_id IS NOT NULL AND EXISTS (
    SELECT FROM memory_message m
     WHERE m.user_id = known_id AND m.conversation_id = conversation.id AND m.client_id = named_id) THEN
    RETURN false;
  END IF;
  PERFORM store_message_v1(storing_tenant_id, known_id, conversation.id, conversation.last_seq + 1, new_message);
  RETURN true;
END $$;
