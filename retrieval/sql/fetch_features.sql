-- Purpose: what find_hits.sql answers, for questions without words: the messages that vectors chose. Index: primary key of message_index.
SELECT i.message_id, i.conversation_id, i.seq, i.session_no, i.role, i.memory_type, i.speaker, i.traits, i.len,
       extract(epoch FROM i.created_at)::float8 AS said_at, 0::float8, 0::float8
FROM message_index i
WHERE i.user_id = %(user_id)s::uuid AND /*scope*/
  AND i.message_id IN (SELECT unnest(%(near_ids)s::text::uuid[]))
