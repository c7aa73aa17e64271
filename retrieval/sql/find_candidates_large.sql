-- Purpose: as find_candidates.sql, for users with more than 5,000 messages: the rarest terms choose the candidates (D-13).
-- Indexes: primary key of message_index (sample of the latest 500, finals), vectors_of_a_user (one pass over the user's
-- vectors), a_place_in_a_conversation_is_indexed_once (neighbours of the chosen, whose vectors smooth theirs).
-- df: exact for the rare terms, since every message that has one is read; for common terms, from the sample.
WITH terms AS MATERIALIZED (
  SELECT grp, query::tsquery AS query, weight
  FROM unnest(%(groups)s::int[], %(queries)s::text[], %(weights)s::float4[]) AS t (grp, query, weight)),
sample AS MATERIALIZED (
  SELECT i.message_id, i.tsv FROM message_index i
  WHERE i.user_id = %(user_id)s::uuid ORDER BY i.message_id DESC LIMIT 500),
sampled AS (
  SELECT t.grp, count(DISTINCT s.message_id) AS df
  FROM terms t LEFT JOIN sample s ON (s.tsv @@ t.query) IS TRUE GROUP BY t.grp),
chosen AS MATERIALIZED (
  SELECT grp, df, row_number() OVER (ORDER BY df, grp) <= 3 AS is_rare FROM sampled),
rare AS MATERIALIZED (
  SELECT string_agg(t.query::text, ' | ')::tsquery AS query
  FROM terms t WHERE t.grp IN (SELECT grp FROM chosen WHERE is_rare)),
hits AS MATERIALIZED (
  SELECT i.message_id, i.len, t.grp, max(t.weight * ts_rank(%(rank_weights)s::float4[], i.tsv, t.query)) AS rank
  FROM message_index i JOIN terms t ON (i.tsv @@ t.query) IS TRUE
  WHERE i.user_id = %(user_id)s::uuid AND (i.tsv @@ (SELECT query FROM rare)) IS TRUE
    AND (%(conversation_id)s::uuid IS NULL OR i.conversation_id = %(conversation_id)s::uuid)
    AND (%(roles)s::text[] IS NULL OR i.role = ANY(%(roles)s::text[]))
    AND (%(memory_types)s::text[] IS NULL OR i.memory_type = ANY(%(memory_types)s::text[]))
    AND (%(created_from)s::timestamptz IS NULL OR i.created_at >= %(created_from)s::timestamptz)
    AND (%(created_to)s::timestamptz IS NULL OR i.created_at <= %(created_to)s::timestamptz)
    AND NOT i.message_id = ANY(%(excluded_ids)s::uuid[])
  GROUP BY i.message_id, i.len, t.grp),
idf AS MATERIALIZED (
  SELECT c.grp, ln(1 + (greatest(n.n - d.df, 0) + 0.5) / (d.df + 0.5)) AS idf
  FROM chosen c CROSS JOIN (SELECT %(message_count)s::float8 AS n) n CROSS JOIN LATERAL (
    SELECT CASE WHEN c.is_rare THEN (SELECT count(*) FROM hits h WHERE h.grp = c.grp)::float8
                ELSE c.df * n.n / 500 END AS df) d),
lexical AS MATERIALIZED (
  SELECT h.message_id, sum(w.idf * h.rank) AS lexical, sum(w.idf) AS covered
  FROM hits h JOIN idf w USING (grp) GROUP BY h.message_id, h.len
  ORDER BY sum(w.idf * h.rank) / (1 + h.len / %(length_scale)s::float8) DESC, h.message_id LIMIT %(depth)s::int),
nearest AS MATERIALIZED (
  SELECT e.message_id, -(e.embedding <#> %(vector)s::text::halfvec) AS dot
  FROM message_embedding e
  WHERE %(vector)s::text IS NOT NULL AND e.user_id = %(user_id)s::uuid AND e.dimensions <= 1300
    AND e.model_id = (SELECT id FROM embedding_model WHERE name = %(model)s::text AND dimensions = %(dimensions)s::int)
  ORDER BY e.embedding <#> %(vector)s::text::halfvec LIMIT 2 * %(depth)s::int),
fresh AS (
  SELECT i.message_id FROM message_index i
  WHERE %(vector)s::text IS NOT NULL AND i.user_id = %(user_id)s::uuid
    AND i.message_id IN (SELECT message_id FROM sample) AND i.received_at > %(fresh_since)s::timestamptz),
pool AS MATERIALIZED (
  SELECT message_id, max(lexical) AS lexical, max(covered) AS covered, max(dot) AS dot FROM (
    SELECT message_id, lexical, covered, NULL::float8 AS dot FROM lexical
    UNION ALL SELECT message_id, NULL, NULL, dot FROM nearest
    UNION ALL SELECT message_id, NULL, NULL, NULL FROM fresh) parts GROUP BY message_id)
SELECT i.message_id, dense_rank() OVER (ORDER BY i.conversation_id, i.session_no) AS session_key, i.role, i.memory_type,
       i.speaker, i.traits, i.len, extract(epoch FROM i.created_at)::float8 AS created_at, coalesce(p.lexical, 0),
       coalesce(p.covered, 0), own.dot + coalesce(around.dot, 0) AS smoothed,
       %(vector)s::text IS NOT NULL AND own.dot IS NULL AND i.received_at > %(fresh_since)s::timestamptz AS is_unembedded
FROM pool p
CROSS JOIN LATERAL (SELECT * FROM message_index x WHERE x.user_id = %(user_id)s::uuid AND x.message_id = p.message_id) i
LEFT JOIN LATERAL (
  SELECT coalesce(p.dot, -(e.embedding <#> %(vector)s::text::halfvec)) AS dot FROM message_embedding e
  WHERE %(vector)s::text IS NOT NULL AND e.user_id = %(user_id)s::uuid AND e.message_id = p.message_id
    AND e.dimensions <= 1300
    AND e.model_id = (SELECT id FROM embedding_model WHERE name = %(model)s::text AND dimensions = %(dimensions)s::int)
  ) own ON true
LEFT JOIN LATERAL (
  SELECT sum(CASE n.seq - i.seq WHEN -1 THEN %(previous_weight)s::float8 WHEN -2 THEN %(before_previous_weight)s::float8
                                ELSE %(next_weight)s::float8 END * -(e.embedding <#> %(vector)s::text::halfvec)) AS dot
  FROM message_index n JOIN message_embedding e
    ON e.user_id = %(user_id)s::uuid AND e.message_id = n.message_id AND e.dimensions <= 1300
   AND e.model_id = (SELECT id FROM embedding_model WHERE name = %(model)s::text AND dimensions = %(dimensions)s::int)
  WHERE %(vector)s::text IS NOT NULL AND n.user_id = %(user_id)s::uuid AND n.conversation_id = i.conversation_id
    AND n.session_no = i.session_no AND n.seq IN (i.seq - 2, i.seq - 1, i.seq + 1)) around ON true
WHERE (%(conversation_id)s::uuid IS NULL OR i.conversation_id = %(conversation_id)s::uuid)
  AND (%(roles)s::text[] IS NULL OR i.role = ANY(%(roles)s::text[]))
  AND (%(memory_types)s::text[] IS NULL OR i.memory_type = ANY(%(memory_types)s::text[]))
  AND (%(created_from)s::timestamptz IS NULL OR i.created_at >= %(created_from)s::timestamptz)
  AND (%(created_to)s::timestamptz IS NULL OR i.created_at <= %(created_to)s::timestamptz)
  AND NOT i.message_id = ANY(%(excluded_ids)s::uuid[])
ORDER BY i.message_id
