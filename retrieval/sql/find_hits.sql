-- Purpose: the best messages of one user by words, and the word scores of the messages that vectors chose; exact.
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
  FROM hits CROSS JOIN idf)
(SELECT message_id, lexical, covered FROM scored
 ORDER BY lexical / (1 + len / %(length_scale)s::float8) DESC, message_id LIMIT %(depth)s::int)
UNION
SELECT message_id, lexical, covered FROM scored
WHERE message_id IN (SELECT unnest(%(near_ids)s::text::uuid[]))
