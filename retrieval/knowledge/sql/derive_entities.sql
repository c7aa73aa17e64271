-- Purpose: what speaks of entities: their record, the titles of documents, whether edges hang on them and how the first of those
-- that lead to it spells it, whether a person's decision keeps it: a merge while records still refer to what was merged.
-- Indexes: an_entity_has_one_record_at_most, documents_of_a_title, edges_to_an_entity, edges_from_an_entity, spellings_of_a_target,
-- entities_merged_into_another, registry_actions_of_an_entity, edges_by_reference.
SELECT e.id, e.key, r.body,
       ARRAY(SELECT DISTINCT d.title FROM knowledge_title t
             JOIN knowledge_document d ON d.corpus_id = t.corpus_id AND d.id = t.document_id
             WHERE t.corpus_id = e.corpus_id AND t.entity_id = e.id),
       EXISTS (SELECT FROM knowledge_edge g WHERE g.corpus_id = e.corpus_id AND g.target_id = e.id)
         OR EXISTS (SELECT FROM knowledge_edge g WHERE g.corpus_id = e.corpus_id AND g.source_id = e.id),
       (SELECT g.spelling FROM knowledge_edge g WHERE g.corpus_id = e.corpus_id AND g.target_id = e.id AND g.spelling <> ''
        ORDER BY g.spelling LIMIT 1),
       EXISTS (SELECT FROM knowledge_entity m WHERE m.corpus_id = e.corpus_id AND m.merged_into_id = e.id)
         OR EXISTS (SELECT FROM knowledge_registry_action a WHERE a.corpus_id = e.corpus_id AND a.entity_id = e.id
                    AND a.kind = 'split' AND a.undone_at IS NULL)
         OR (e.merged_into_id IS NOT NULL AND EXISTS (
           SELECT FROM knowledge_edge g WHERE g.corpus_id = e.corpus_id
             AND g.reference IN ('k:' || e.type || ':' || e.key, 'n:' || e.type || ':' || replace(e.key, '-', ' ')))),
       e.name
FROM knowledge_entity e
LEFT JOIN knowledge_record r ON r.corpus_id = e.corpus_id AND r.entity_id = e.id
WHERE e.corpus_id = %(corpus_id)s AND e.id = ANY(%(ids)s)
