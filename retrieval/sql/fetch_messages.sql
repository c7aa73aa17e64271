-- Purpose: what cards need of the chosen messages, by key. Row by row, whatever the planner believes of the user: of one whom its
-- statistics did not know it read a whole conversation for twenty messages. Indexes: primary keys of memory_message,
-- memory_conversation and message_snippet.
SELECT m.id, m.client_id, c.external_id, m.role, m.speaker, m.memory_type, m.mood, m.created_at, m.content,
       m.response_description, s.snippet
FROM unnest(%(message_ids)s::text::uuid[]) AS t (id)
CROSS JOIN LATERAL (
  SELECT id, client_id, conversation_id, role, speaker, memory_type, mood, created_at, content, response_description
    FROM memory_message WHERE user_id = %(user_id)s::uuid AND id = t.id AND forgotten_at IS NULL LIMIT 1) m
CROSS JOIN LATERAL (
  SELECT external_id FROM memory_conversation WHERE user_id = %(user_id)s::uuid AND id = m.conversation_id LIMIT 1) c
LEFT JOIN LATERAL (
  SELECT snippet FROM message_snippet
   WHERE user_id = %(user_id)s::uuid AND message_id = m.id
     AND (%(as_of)s::timestamptz IS NULL OR created_at <= %(as_of)s::timestamptz) LIMIT 1) s ON true
