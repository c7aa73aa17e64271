-- Purpose: take back 0001_tables.sql and 0001_functions.sql (development only; production never migrates back past 0001).
DROP TABLE IF EXISTS memory_tombstone, memory_forget_item, memory_forget_batch, user_knowledge, memory_action,
  memory_message, memory_conversation, memory_user CASCADE;
DROP FUNCTION IF EXISTS lock_user_v1, enter_user_v1, supersede_knowledge_v1, keep_what_a_fact_says_v1,
  keep_raw_verbatim_v1, keep_messages_unless_erased_v1, keep_actions_v1, claim_expired_facts_v1, claim_overdue_forgets_v1;
