-- Purpose: aliases of a corpus, each with the entity that it stands for now: its own, or the one that this was merged into.
-- OFFSET keeps each look-up apart: of a corpus that has no statistics yet the database takes a join for one of a row, and
-- reads the corpus once for each.
-- Index: primary keys.
SELECT a.id, coalesce(m.id, e.id), coalesce(m.type, e.type), coalesce(m.key, e.key), coalesce(m.name, e.name), a.text, a.status
FROM knowledge_alias a
CROSS JOIN LATERAL (
  SELECT id, type, key, name, merged_into_id FROM knowledge_entity WHERE corpus_id = %(corpus_id)s AND id = a.entity_id OFFSET 0
) e
LEFT JOIN LATERAL (
  SELECT id, type, key, name FROM knowledge_entity WHERE corpus_id = %(corpus_id)s AND id = e.merged_into_id OFFSET 0
) m ON true
WHERE a.corpus_id = %(corpus_id)s AND a.id = ANY(%(ids)s::bigint[])
