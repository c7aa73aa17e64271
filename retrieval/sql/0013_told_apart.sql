-- Purpose: a receipt says of each part of a pack where it stood, why it was there, which words of the user came with it and
-- what the sanitiser took out of it; and which window of the model bounded the budget (SPEC P-2, P-3, P-4, T-3).
ALTER TABLE retrieval_receipt
  ADD COLUMN context_positions smallint[] NOT NULL DEFAULT '{}',
  ADD COLUMN fact_reasons text[] NOT NULL DEFAULT '{}',
  ADD COLUMN excerpt_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN sanitised_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN sanitiser_outcomes text[] NOT NULL DEFAULT '{}',
  ADD COLUMN context_window integer;
-- Receipts from before have none of these.
ALTER TABLE retrieval_receipt
  ADD CONSTRAINT every_choice_has_a_place_or_none CHECK (cardinality(context_positions) IN (0, cardinality(chosen_ids))),
  ADD CONSTRAINT every_fact_has_a_reason CHECK (cardinality(fact_reasons) IN (0, cardinality(fact_ids))),
  ADD CONSTRAINT what_was_sanitised_has_an_outcome CHECK (cardinality(sanitised_ids) = cardinality(sanitiser_outcomes));
-- Statistics of lists serve no plan (0012).
ALTER TABLE retrieval_receipt
  ALTER context_positions SET STATISTICS 0, ALTER fact_reasons SET STATISTICS 0, ALTER excerpt_ids SET STATISTICS 0,
  ALTER sanitised_ids SET STATISTICS 0, ALTER sanitiser_outcomes SET STATISTICS 0;
