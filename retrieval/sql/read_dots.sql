-- Purpose: the dot products of all of a user's vectors with the question, packed: 20 bytes a vector, message_id and dot.
-- The caller adds up neighbours (retrieval/search/smoothing.py). Index alone: vectors_of_a_user, under `dimensions <= 1300`; the
-- caller leaves that condition out for wider models. The vector is a subquery so that a prepared statement reads it once, not once a row.
SELECT string_agg(
  uuid_send(e.message_id) || float4send((-(e.embedding <#> (SELECT %(vector)s::halfvec)))::float4), ''::bytea)
FROM message_embedding e
WHERE e.user_id = %(user_id)s::uuid AND e.dimensions <= 1300
  AND e.model_id = (SELECT id FROM embedding_model WHERE name = %(model)s::text AND dimensions = %(dimensions)s::int)
