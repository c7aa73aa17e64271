-- Serves: users whose facts were judged often enough to be calibrated, over one tenant (SPEC P-9).
CREATE INDEX what_was_said_of_facts ON retrieval_feedback (tenant_id, user_id, fact_id, receipt_id)
  WHERE fact_id IS NOT NULL AND NOT is_computed;
