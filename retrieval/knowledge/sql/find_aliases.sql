-- Purpose: aliases of a corpus, with the entity that each stands for now.
-- Index: primary keys of alias and entity.
SELECT a.id, coalesce(m.id, e.id), a.text, a.status, coalesce(m.type, e.type), coalesce(m.key, e.key), coalesce(m.name, e.name)
FROM knowledge_alias a
JOIN knowledge_entity e ON e.corpus_id = a.corpus_id AND e.id = a.entity_id
LEFT JOIN knowledge_entity m ON m.corpus_id = e.corpus_id AND m.id = e.merged_into_id
WHERE a.corpus_id = %(corpus_id)s AND a.id = ANY(%(ids)s::bigint[])
