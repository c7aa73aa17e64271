-- Purpose: the places of all messages of one user, and the dot products of all vectors, packed: the caller puts them together and
-- adds up neighbours (retrieval/smoothing.py); window functions over the same rows cost four times as much as the scan itself.
-- One row a conversation: 24 bytes a message, message_id, seq (negative outside the filters), session_no; and the ids of
-- the last minutes. One row without conversation: 20 bytes a vector, message_id, dot.
-- Each half reads one index alone: places_of_a_user, vectors_of_a_user. They are not joined here: a table without
-- statistics would make that a nested loop. `dimensions <= 1300` picks the partial index; the caller leaves it out for wider models.
SELECT i.conversation_id,
       string_agg(uuid_send(i.message_id) || int4send(CASE WHEN /*scope*/ THEN i.seq ELSE -i.seq END)
         || int4send(i.session_no), ''::bytea) AS packed,
       array_agg(i.message_id) FILTER (WHERE i.received_at > %(fresh_since)s::timestamptz) AS fresh_ids
FROM message_index i
WHERE i.user_id = %(user_id)s::uuid
GROUP BY i.conversation_id
UNION ALL
SELECT NULL, string_agg(uuid_send(e.message_id) || float4send((-(e.embedding <#> %(vector)s::text::halfvec))::float4),
                        ''::bytea), NULL
FROM message_embedding e
WHERE e.user_id = %(user_id)s::uuid AND e.dimensions <= 1300
  AND e.model_id = (SELECT id FROM embedding_model WHERE name = %(model)s::text AND dimensions = %(dimensions)s::int)
