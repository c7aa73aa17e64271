-- Purpose: 0008_dense taken back, first part: the indexes of before, built beside while the service reads and writes.
DROP INDEX IF EXISTS old_messages_of_a_user, old_vectors_of_a_user;

SET lock_timeout = 0;

CREATE UNIQUE INDEX CONCURRENTLY old_messages_of_a_user ON message_index (user_id, conversation_id, seq)
  INCLUDE (tenant_id, place, lexemes, speaker);

CREATE INDEX CONCURRENTLY old_vectors_of_a_user ON message_embedding (user_id, model_id, message_id)
  INCLUDE (tenant_id, embedding) WHERE dimensions <= 1300;

RESET lock_timeout;
