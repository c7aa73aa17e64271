-- Purpose: which of some messages hold a term in their own words (weight A), their neighbours' words left aside.
-- Index: primary key of message_index.
SELECT i.message_id FROM message_index i
WHERE i.user_id = %(user_id)s::uuid AND i.message_id = ANY(%(message_ids)s::uuid[])
  AND EXISTS (SELECT FROM unnest(%(queries)s::text[]) AS term WHERE (i.tsv @@ (term || ':A')::tsquery) IS TRUE)
