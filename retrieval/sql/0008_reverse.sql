-- Purpose: 0008_dense taken back.
DROP INDEX messages_of_a_user;
ALTER TABLE message_index DROP CONSTRAINT a_place_in_a_conversation_is_indexed_once;
ALTER TABLE message_index ADD CONSTRAINT messages_of_a_user
  UNIQUE (user_id, conversation_id, seq) INCLUDE (tenant_id, place, lexemes, speaker);
DROP INDEX vectors_of_a_user;
CREATE INDEX vectors_of_a_user ON message_embedding (user_id, model_id, message_id) INCLUDE (tenant_id, embedding)
  WHERE dimensions <= 1300;
