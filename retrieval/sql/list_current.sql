-- Purpose: which of these messages belong in the index: not forgotten, not replaced by an edit or a regenerated reply (D-4).
-- Indexes: primary key of memory_message, newer_version_of_a_message, replies_to_a_message.
SELECT m.id FROM memory_message m
WHERE m.user_id = %(user_id)s::uuid AND m.id = ANY(%(message_ids)s::uuid[]) AND m.forgotten_at IS NULL
  AND NOT EXISTS (SELECT FROM memory_message newer WHERE newer.user_id = m.user_id AND newer.replaces_id = m.id)
  AND NOT (m.role = 'assistant' AND m.reply_to_id IS NOT NULL AND EXISTS (
    SELECT FROM memory_message sibling
    WHERE sibling.user_id = m.user_id AND sibling.reply_to_id = m.reply_to_id AND sibling.role = 'assistant'
      AND sibling.conversation_id = m.conversation_id AND sibling.seq > m.seq))
