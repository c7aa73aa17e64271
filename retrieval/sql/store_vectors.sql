-- Purpose: write vectors that a worker made, skipping messages that left the index meanwhile; take their tasks off the list.
-- Indexes: primary keys of message_index, message_embedding, embedding_task.
WITH made AS (
  SELECT * FROM unnest(%(message_ids)s::uuid[], %(vectors)s::text[]) AS v (message_id, vector)),
stored AS (
  INSERT INTO message_embedding (tenant_id, user_id, model_id, message_id, dimensions, embedding)
  SELECT i.tenant_id, i.user_id, %(model_id)s::smallint, i.message_id, %(dimensions)s::smallint, m.vector::halfvec
  FROM made m JOIN message_index i ON i.user_id = %(user_id)s::uuid AND i.message_id = m.message_id
  ON CONFLICT DO NOTHING RETURNING 1),
done AS (
  DELETE FROM embedding_task t USING made m
  WHERE t.user_id = %(user_id)s::uuid AND t.message_id = m.message_id AND t.model_id = %(model_id)s::smallint RETURNING 1)
SELECT count(*) FROM stored
