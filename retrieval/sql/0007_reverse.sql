-- Purpose: take back 0007_accounts.sql.
DROP FUNCTION messages_without_snippet_v1(timestamptz, integer);
DROP FUNCTION users_with_new_signals_v1(timestamptz, integer);
DROP TABLE usefulness, ranking_snapshot, answer_finding;
DROP INDEX signals_by_arrival;
DELETE FROM retrieval_feedback WHERE is_computed;
ALTER TABLE retrieval_feedback DROP COLUMN is_computed;
ALTER TABLE retrieval_feedback ADD CONSTRAINT a_signal_counts_once
  UNIQUE NULLS NOT DISTINCT (user_id, receipt_id, message_id, fact_id, signal);
ALTER TABLE retrieval_receipt DROP COLUMN max_tokens, DROP COLUMN mood, DROP COLUMN reply_model, DROP COLUMN tokenizer,
  DROP COLUMN ranking_version;
