-- Purpose: the aliases of a corpus by their keys, as packed numbers. Keys of first words that very many names share are left out.
-- Index: primary key of knowledge_alias_key (corpus_id, key, alias_id, kind).
SELECT key, string_agg(int8send(alias_id), ''::bytea)
FROM knowledge_alias_key
WHERE corpus_id = %(corpus_id)s AND key = ANY(%(keys)s::bigint[])
GROUP BY key
HAVING min(kind) <> %(first)s OR count(*) <= %(most)s
