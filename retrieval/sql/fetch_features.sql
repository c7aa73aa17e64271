-- Purpose: what ranking needs of the chosen messages, without text, by key. Index: primary key of message_index.
SELECT i.message_id, i.conversation_id, i.seq, i.session_no, i.role, i.memory_type, i.speaker, i.traits, i.len,
       extract(epoch FROM i.created_at)::float8 AS said_at
FROM message_index i
WHERE i.user_id = %(user_id)s::uuid AND /*scope*/
  AND i.message_id IN (SELECT unnest(%(message_ids)s::text::uuid[]))
