-- Purpose: for each hit the two indexed messages before it in its conversation, nearest first, with their similarity to the
-- question. Forgotten and replaced messages are not in the index. Indexes: primary keys,
-- a_place_in_a_conversation_is_indexed_once.
SELECT hit.message_id, near.message_id, near.role, m.content, near.similarity
FROM message_index hit
CROSS JOIN LATERAL (
  SELECT n.message_id, n.role, n.seq, (
           SELECT -(e.embedding <#> (SELECT %(vector)s::halfvec)) FROM message_embedding e
           WHERE e.user_id = %(user_id)s::uuid AND e.message_id = n.message_id AND e.dimensions <= 1300
             AND e.model_id = (SELECT id FROM embedding_model
                               WHERE name = %(model)s::text AND dimensions = %(dimensions)s::int)) AS similarity
  FROM message_index n
  WHERE n.user_id = %(user_id)s::uuid AND n.conversation_id = hit.conversation_id AND n.seq < hit.seq
  ORDER BY n.seq DESC LIMIT 2) near
JOIN memory_message m ON m.user_id = %(user_id)s::uuid AND m.id = near.message_id AND m.forgotten_at IS NULL
WHERE hit.user_id = %(user_id)s::uuid AND hit.message_id = ANY(%(message_ids)s::text::uuid[])
ORDER BY hit.message_id, near.seq DESC
