-- Purpose: a bare node is called what the references to it call it: the first of their spellings, found without reading all of them.
ALTER TABLE knowledge_edge ADD spelling varchar(500) COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE knowledge_edge ALTER spelling SET STATISTICS 0;
-- Serves: derive_entities.sql, for hubs that a hundred thousand edges lead to.
CREATE INDEX spellings_of_a_target ON knowledge_edge (corpus_id, target_id, spelling) WHERE spelling <> '';
