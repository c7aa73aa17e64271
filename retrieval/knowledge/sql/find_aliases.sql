-- Purpose: aliases of a corpus by their keys, with the entity that each stands for now.
-- Index: primary key of knowledge_alias_key (corpus_id, key); primary keys of alias and entity.
SELECT k.key, a.id, coalesce(m.id, e.id), a.text, a.status, coalesce(m.type, e.type), coalesce(m.key, e.key), coalesce(m.name, e.name)
FROM (SELECT DISTINCT key, alias_id FROM knowledge_alias_key
      WHERE corpus_id = %(corpus_id)s AND key = ANY(%(keys)s::bigint[])) k
JOIN knowledge_alias a ON a.corpus_id = %(corpus_id)s AND a.id = k.alias_id
JOIN knowledge_entity e ON e.corpus_id = a.corpus_id AND e.id = a.entity_id
LEFT JOIN knowledge_entity m ON m.corpus_id = e.corpus_id AND m.id = e.merged_into_id
