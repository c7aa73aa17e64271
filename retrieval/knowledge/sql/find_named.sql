-- Purpose: the entities that aliases are of, and what they were merged into.
-- Index: primary key.
SELECT id, merged_into_id, type, key, name FROM knowledge_entity
WHERE corpus_id = %(corpus_id)s AND id = ANY(%(ids)s::bigint[])
