-- Purpose: the best messages of one user by words and those that vectors chose, with what ranking needs of them; exact, no text.
-- A term is (group, lexeme, weight): spellings of one word share a group, the best spelling counts. Score: sum over groups of
-- idf x ts_rank; N is the number of messages inside the filters, df is counted here (docs/retrieval.md).
-- The caller writes one column a group in place of the marked lists. ts_rank of a term that a message lacks is 1e-20.
-- One pass over the user's rows (primary key of message_index).
WITH hits AS MATERIALIZED (
  SELECT i.message_id, i.len, /*ranks*/
  FROM message_index i
  WHERE i.user_id = %(user_id)s::uuid AND (i.tsv @@ %(any_query)s::tsquery) IS TRUE AND /*scope*/),
idf AS MATERIALIZED (SELECT /*idfs*/ FROM hits),
scored AS MATERIALIZED (
  SELECT message_id, len, /*lexical*/ AS lexical, /*covered*/ AS covered
  FROM hits CROSS JOIN idf),
near AS MATERIALIZED (SELECT unnest(%(near_ids)s::text::uuid[]) AS message_id),
chosen AS MATERIALIZED (
  SELECT message_id, max(lexical) AS lexical, max(covered) AS covered FROM (
    (SELECT message_id, lexical, covered FROM scored
     ORDER BY lexical / (1 + len / %(length_scale)s::float8) DESC, message_id LIMIT %(depth)s::int)
    UNION ALL SELECT message_id, lexical, covered FROM scored WHERE message_id IN (SELECT message_id FROM near)
    UNION ALL SELECT message_id, 0, 0 FROM near) parts
  GROUP BY message_id)
SELECT i.message_id, i.conversation_id, i.seq, i.session_no, i.role, i.memory_type, i.speaker, i.traits, i.len,
       extract(epoch FROM i.created_at)::float8 AS said_at, c.lexical, c.covered
FROM chosen c
CROSS JOIN LATERAL (
  SELECT * FROM message_index m WHERE m.user_id = %(user_id)s::uuid AND m.message_id = c.message_id) i
WHERE /*scope*/
