-- Purpose: receipts say which episodes took part in a pack, and of which messages it showed a sentence (SPEC P-4, L-3).
ALTER TABLE retrieval_receipt
  ADD COLUMN has_layers boolean NOT NULL DEFAULT false,
  ADD COLUMN line_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN episode_ids uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE retrieval_receipt ALTER line_ids SET STATISTICS 0, ALTER episode_ids SET STATISTICS 0;
