-- Purpose: the index of one new message in one call (D-11): as index_messages.sql, which begins and ends for more than one message
-- costs. Nothing is written for a message that has not been stored. The vector comes along (D-8).
-- Called in scopes with plan_cache_mode = force_generic_plan.
-- Indexes: owner_of_a_message, a_place_in_a_conversation_is_indexed_once (last row of the conversation), primary keys.
CREATE FUNCTION index_plain_message_v1(
  new_id uuid, in_model text, in_dimensions integer, session_gap double precision, in_tokeniser smallint, entry json, vector halfvec)
RETURNS void LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  stored record;
  own record;
  latest record;
  model smallint;
BEGIN
  SELECT m.tenant_id, m.user_id, m.conversation_id, m.seq, m.role, m.memory_type, m.created_at, m.received_at INTO stored
    FROM memory_message m WHERE m.id = new_id;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT e.id INTO model FROM embedding_model e WHERE e.name = in_model AND e.dimensions = in_dimensions;
  IF NOT FOUND THEN
    INSERT INTO embedding_model (name, dimensions, is_inline) VALUES (in_model, in_dimensions, true)
    ON CONFLICT ON CONSTRAINT a_model_is_known_by_its_name_and_dimensions DO UPDATE SET is_inline = EXCLUDED.is_inline
    RETURNING id INTO model;
  END IF;
  SELECT * INTO own FROM json_to_record(entry) AS n (
    speaker text, traits smallint, len integer, lexemes bytea, more_lexemes bytea);
  SELECT i.session_no, i.created_at INTO latest FROM message_index i
   WHERE i.user_id = stored.user_id AND i.conversation_id = stored.conversation_id AND i.seq < stored.seq
   ORDER BY i.seq DESC LIMIT 1;
  INSERT INTO message_index (tenant_id, user_id, message_id, conversation_id, seq, session_no, role, memory_type, speaker, traits,
    len, created_at, received_at, tokeniser, lexemes, more_lexemes)
  VALUES (stored.tenant_id, stored.user_id, new_id, stored.conversation_id, stored.seq,
    CASE WHEN latest.session_no IS NULL THEN 1
         ELSE latest.session_no + (abs(extract(epoch FROM stored.created_at - latest.created_at)) > session_gap)::integer END,
    stored.role, stored.memory_type, coalesce(own.speaker, ''), own.traits, own.len, stored.created_at, stored.received_at,
    in_tokeniser, own.lexemes, own.more_lexemes);
  INSERT INTO message_embedding (tenant_id, user_id, model_id, message_id, dimensions, embedding)
  VALUES (stored.tenant_id, stored.user_id, model, new_id, in_dimensions, vector);
END $$;
