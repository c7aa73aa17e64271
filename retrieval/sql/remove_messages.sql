-- Purpose: take messages out of the index, with the snippets of their neighbours.
-- Vectors, tasks and own snippets go by their foreign keys.
-- Indexes: primary keys, a_place_in_a_conversation_is_indexed_once.
WITH gone AS (
  DELETE FROM message_index WHERE user_id = %(user_id)s::uuid AND message_id = ANY(%(message_ids)s::uuid[])
  RETURNING conversation_id, session_no, seq),
near AS (
  SELECT i.message_id FROM gone g JOIN message_index i
    ON i.user_id = %(user_id)s::uuid AND i.conversation_id = g.conversation_id AND i.session_no = g.session_no
   AND i.seq BETWEEN g.seq - 2 AND g.seq + 2),
snippets AS (
  DELETE FROM message_snippet WHERE user_id = %(user_id)s::uuid AND message_id IN (SELECT message_id FROM near) RETURNING 1)
SELECT count(*) FROM gone
