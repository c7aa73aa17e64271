-- Purpose: signals about what packs carried (SPEC C-4). The same signal about the same thing of the same pack counts once.
CREATE TABLE retrieval_feedback (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  receipt_id uuid NOT NULL,
  assistant_message_id uuid,
  message_id uuid,
  fact_id uuid,
  signal varchar(16) NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_signal_is_used_unused_confirmed_or_corrected CHECK (signal IN ('used', 'unused', 'confirmed', 'corrected')),
  CONSTRAINT a_signal_is_about_a_message_or_a_fact CHECK ((message_id IS NULL) <> (fact_id IS NULL)),
  CONSTRAINT a_signal_counts_once UNIQUE NULLS NOT DISTINCT (user_id, receipt_id, message_id, fact_id, signal)
);
-- Serves: the nightly job that turns signals into usefulness, and erasure by message.
CREATE INDEX signals_about_a_message ON retrieval_feedback (user_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX signals_about_a_fact ON retrieval_feedback (user_id, fact_id) WHERE fact_id IS NOT NULL;
