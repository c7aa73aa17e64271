-- Purpose: aliases of a corpus. Their entities are another statement: of a corpus that has no statistics yet the database
-- takes a join of the two for one of a row, and does it row by row.
-- Index: primary key.
SELECT id, entity_id, text, status FROM knowledge_alias WHERE corpus_id = %(corpus_id)s AND id = ANY(%(ids)s::bigint[])
