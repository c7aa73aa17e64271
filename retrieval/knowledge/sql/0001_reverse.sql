-- Purpose: take the tables of the wing away.
DROP TABLE ask_turn, knowledge_snapshot, knowledge_plan, knowledge_registry_action, knowledge_title, knowledge_edge, knowledge_mention,
  knowledge_alias_key, knowledge_alias, knowledge_posting, knowledge_chunk, knowledge_record, knowledge_entity, knowledge_document,
  knowledge_corpus;
DROP FUNCTION count_knowledge_rows();
