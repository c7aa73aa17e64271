-- Purpose: the two indexes that searches read are keyed by what selects alone, the rest is included. A full page of one key is split
-- 96 to 4; one of ascending keys inside a user was split in halves, and half of what searches read was air (bench/results.md).
-- Rows come in the order in which they lie in the table: retrieval/search/columns.py puts them in order.
-- Each paragraph is sent by itself. Built beside the old ones while the service reads and writes; 0008_dense.sql changes names.
-- What an attempt that was broken off left behind, in any state.
DROP INDEX IF EXISTS dense_messages_of_a_user, dense_place_in_a_conversation, dense_vectors_of_a_user;

-- A build waits for transactions that began before it, and holds nobody up meanwhile.
SET lock_timeout = 0;

-- Serves: read_index.sql, which it answers alone. It holds the tenant for row-level security's sake.
CREATE INDEX CONCURRENTLY dense_messages_of_a_user ON message_index (user_id) INCLUDE (tenant_id, place, lexemes, speaker)
  WITH (fillfactor = 96);

-- Serves: the latest rows of a conversation, the neighbours of a message, and the proof that a place is taken once.
CREATE UNIQUE INDEX CONCURRENTLY dense_place_in_a_conversation ON message_index (user_id, conversation_id, seq);

-- Serves: read_index.sql and read_dots.sql, which it answers alone.
CREATE INDEX CONCURRENTLY dense_vectors_of_a_user ON message_embedding (user_id, model_id)
  INCLUDE (tenant_id, message_id, embedding) WITH (fillfactor = 96) WHERE dimensions <= 1300;

RESET lock_timeout;
