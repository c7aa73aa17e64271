-- Purpose: every message of one user that a question may mean, with raw features and no text; no fusion in SQL (D-13).
-- Exact inside the user. Indexes: primary key of message_index, vectors_of_a_user.
-- A term is (group, lexeme, weight): spellings of one word share a group, the best spelling counts. Lexical score: sum over
-- groups of idf x ts_rank, N and df counted inside the scope (docs/retrieval.md). Dense score: dot products, each averaged
-- with its neighbours of the session by lag and lead (D-12). `dimensions <= 1300` picks the partial index; the caller leaves
-- it out for wider models.
-- ts_rank of a term that a message lacks is 0 (1e-20), so the match is tested once for all terms and not for each.
-- Parts are put together by UNION ALL and GROUP BY, not by joins: a table without statistics would make those nested loops.
WITH places AS MATERIALIZED (
  SELECT i.message_id, i.conversation_id, i.session_no, i.seq, i.len, i.role, i.memory_type, i.speaker, i.traits,
         i.created_at,
         (%(conversation_id)s::uuid IS NULL OR i.conversation_id = %(conversation_id)s::uuid)
         AND (%(roles)s::text[] IS NULL OR i.role = ANY(%(roles)s::text[]))
         AND (%(memory_types)s::text[] IS NULL OR i.memory_type = ANY(%(memory_types)s::text[]))
         AND (%(created_from)s::timestamptz IS NULL OR i.created_at >= %(created_from)s::timestamptz)
         AND (%(created_to)s::timestamptz IS NULL OR i.created_at <= %(created_to)s::timestamptz)
         AND NOT i.message_id = ANY(%(excluded_ids)s::uuid[]) AS in_scope,
         i.received_at > %(fresh_since)s::timestamptz AS is_fresh
  FROM message_index i WHERE i.user_id = %(user_id)s::uuid),
terms AS MATERIALIZED (
  SELECT grp, query::tsquery AS query, weight
  FROM unnest(%(groups)s::int[], %(queries)s::text[], %(weights)s::float4[]) AS t (grp, query, weight)),
hits AS (
  SELECT i.message_id, t.grp, max(t.weight * ts_rank(%(rank_weights)s::float4[], i.tsv, t.query)) AS rank
  FROM (SELECT message_id, tsv FROM message_index i
        WHERE i.user_id = %(user_id)s::uuid AND (i.tsv @@ %(any_query)s::tsquery) IS TRUE
          AND (%(conversation_id)s::uuid IS NULL OR i.conversation_id = %(conversation_id)s::uuid)
          AND (%(roles)s::text[] IS NULL OR i.role = ANY(%(roles)s::text[]))
          AND (%(memory_types)s::text[] IS NULL OR i.memory_type = ANY(%(memory_types)s::text[]))
          AND (%(created_from)s::timestamptz IS NULL OR i.created_at >= %(created_from)s::timestamptz)
          AND (%(created_to)s::timestamptz IS NULL OR i.created_at <= %(created_to)s::timestamptz)
          AND NOT i.message_id = ANY(%(excluded_ids)s::uuid[])) i
  CROSS JOIN terms t
  GROUP BY i.message_id, t.grp
  HAVING max(t.weight * ts_rank(%(rank_weights)s::float4[], i.tsv, t.query)) > 1e-9),
counted AS (
  SELECT message_id, rank, count(*) OVER (PARTITION BY grp) AS df FROM hits),
weighed AS (
  SELECT message_id, rank,
         ln(1 + ((SELECT count(*) FILTER (WHERE in_scope)::float8 FROM places) - df + 0.5) / (df + 0.5)) AS idf
  FROM counted),
parts AS (
  SELECT message_id, conversation_id, session_no, seq, len, role, memory_type, speaker, traits, created_at, in_scope,
         is_fresh, NULL::float8 AS dot, NULL::float8 AS lexical, NULL::float8 AS covered FROM places
  UNION ALL
  SELECT message_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, idf * rank, idf FROM weighed
  UNION ALL
  SELECT e.message_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
         -(e.embedding <#> %(vector)s::text::halfvec), NULL, NULL
  FROM message_embedding e
  WHERE %(vector)s::text IS NOT NULL AND e.user_id = %(user_id)s::uuid AND e.dimensions <= 1300
    AND e.model_id = (SELECT id FROM embedding_model WHERE name = %(model)s::text AND dimensions = %(dimensions)s::int)),
merged AS (
  SELECT message_id, any_value(conversation_id) AS conversation_id, max(session_no) AS session_no, max(seq) AS seq,
         max(len) AS len, any_value(role) AS role, any_value(memory_type) AS memory_type, any_value(speaker) AS speaker,
         max(traits) AS traits, max(created_at) AS created_at, bool_or(in_scope) AS in_scope, bool_or(is_fresh) AS is_fresh, max(dot) AS dot,
         coalesce(sum(lexical), 0) AS lexical, coalesce(sum(covered), 0) AS covered
  FROM parts GROUP BY message_id),
near AS (
  SELECT *, hashtextextended(conversation_id::text, session_no) AS session_key,
         dot + %(previous_weight)s::float8 * coalesce(lag(dot) OVER session, 0)
             + %(before_previous_weight)s::float8 * coalesce(lag(dot, 2) OVER session, 0)
             + %(next_weight)s::float8 * coalesce(lead(dot) OVER session, 0) AS smoothed
  FROM merged WINDOW session AS (PARTITION BY conversation_id, session_no ORDER BY seq)),
placed AS (
  SELECT *, row_number() OVER (ORDER BY lexical / (1 + len / %(length_scale)s::float8) DESC, message_id) AS lexical_place,
         row_number() OVER (ORDER BY smoothed DESC NULLS LAST, message_id) AS dense_place
  FROM near WHERE in_scope)
SELECT p.message_id, p.session_key, p.role, p.memory_type, p.speaker, p.traits, p.len,
       extract(epoch FROM p.created_at)::float8 AS created_at, p.lexical, p.covered, p.smoothed,
       %(vector)s::text IS NOT NULL AND p.dot IS NULL AND p.is_fresh AS is_unembedded
FROM placed p
WHERE (p.lexical > 0 AND p.lexical_place <= %(depth)s::int)
   OR (p.smoothed > 0 AND p.dense_place <= %(depth)s::int)
   OR (%(vector)s::text IS NOT NULL AND p.dot IS NULL AND p.is_fresh)
ORDER BY p.message_id
