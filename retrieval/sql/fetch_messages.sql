-- Purpose: what cards need of the chosen messages, by key. Indexes: primary keys of memory_message and memory_conversation.
SELECT m.id, m.client_id, c.external_id, m.role, m.speaker, m.memory_type, m.mood, m.created_at, m.content,
       m.response_description, s.snippet
FROM memory_message m
JOIN memory_conversation c ON c.user_id = m.user_id AND c.id = m.conversation_id
LEFT JOIN message_snippet s ON s.user_id = m.user_id AND s.message_id = m.id
  AND (%(as_of)s::timestamptz IS NULL OR s.created_at <= %(as_of)s::timestamptz)
WHERE m.user_id = %(user_id)s::uuid AND m.id = ANY(%(message_ids)s::text::uuid[]) AND m.forgotten_at IS NULL
