-- Purpose: index new messages in one round trip (D-11): rows, with the session that each is in, and vectors or tasks. The first message
-- of an installation registers the model.
-- Indexes: a_place_in_a_conversation_is_indexed_once (last row of each conversation), primary keys.
WITH known AS (
  SELECT id FROM embedding_model WHERE name = %(model)s::text AND dimensions = %(dimensions)s::int),
made AS (
  INSERT INTO embedding_model (name, dimensions, is_inline)
  SELECT %(model)s::text, %(dimensions)s::int, %(is_inline)s::boolean WHERE NOT EXISTS (SELECT FROM known)
  ON CONFLICT ON CONSTRAINT a_model_is_known_by_its_name_and_dimensions DO UPDATE SET is_inline = EXCLUDED.is_inline
  RETURNING id),
model AS (SELECT id FROM known UNION ALL SELECT id FROM made),
new AS MATERIALIZED (
  SELECT * FROM json_to_recordset(%(rows)s::json) AS n (
    user_id uuid, message_id uuid, conversation_id uuid, seq int, role text, memory_type text, speaker text, traits smallint, len int,
    created_at timestamptz, received_at timestamptz, lexemes bytea, more_lexemes bytea, vector halfvec)),
old AS (  -- the last row that each conversation had
  SELECT o.* FROM (SELECT user_id, conversation_id, min(seq) AS first_seq FROM new GROUP BY user_id, conversation_id) c
  CROSS JOIN LATERAL (
    SELECT i.message_id, i.conversation_id, i.seq, i.session_no, i.created_at FROM message_index i
    WHERE i.user_id = c.user_id AND i.conversation_id = c.conversation_id AND i.seq < c.first_seq
    ORDER BY i.seq DESC LIMIT 1) o),
both_kinds AS (
  SELECT message_id, conversation_id, seq, NULL::int AS session_no, created_at FROM new
  UNION ALL SELECT * FROM old),
gaps AS (
  SELECT *, session_no IS NULL AS is_new,
         abs(extract(epoch FROM created_at - lag(created_at) OVER (PARTITION BY conversation_id ORDER BY seq))) AS gap
  FROM both_kinds),
sessions AS (
  SELECT message_id,
         coalesce(session_no, coalesce(max(session_no) OVER (PARTITION BY conversation_id), 0)
           + sum((is_new AND (gap IS NULL OR gap > %(session_gap)s::float8))::int)
             OVER (PARTITION BY conversation_id ORDER BY seq))::int AS session_no
  FROM gaps),
indexed AS (
  INSERT INTO message_index (tenant_id, user_id, message_id, conversation_id, seq, session_no, role, memory_type, speaker,
                             traits, len, created_at, received_at, tokeniser, lexemes, more_lexemes)
  SELECT %(tenant_id)s::uuid, n.user_id, n.message_id, n.conversation_id, n.seq, s.session_no, n.role,
         n.memory_type, n.speaker, n.traits, n.len, n.created_at, n.received_at, %(tokeniser)s::smallint,
         n.lexemes, n.more_lexemes
  FROM new n JOIN sessions s ON s.message_id = n.message_id
  RETURNING 1),
vectors AS (
  INSERT INTO message_embedding (tenant_id, user_id, model_id, message_id, dimensions, embedding)
  SELECT %(tenant_id)s::uuid, n.user_id, m.id, n.message_id, %(dimensions)s::smallint, n.vector
  FROM new n CROSS JOIN model m WHERE n.vector IS NOT NULL
  RETURNING 1),
tasks AS (
  INSERT INTO embedding_task (tenant_id, user_id, message_id, model_id, priority, available_at, received_at)
  SELECT %(tenant_id)s::uuid, n.user_id, n.message_id, m.id, %(priority)s::smallint, %(now)s::timestamptz,
         n.received_at
  FROM new n CROSS JOIN model m WHERE n.vector IS NULL AND n.len > 0
  RETURNING 1)
SELECT (SELECT count(*) FROM indexed), (SELECT count(*) FROM vectors), (SELECT count(*) FROM tasks)
