-- Purpose: take back 0013_told_apart.sql.
ALTER TABLE retrieval_receipt
  DROP COLUMN context_positions, DROP COLUMN fact_reasons, DROP COLUMN excerpt_ids, DROP COLUMN sanitised_ids,
  DROP COLUMN sanitiser_outcomes, DROP COLUMN context_window;
