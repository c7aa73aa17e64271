ALTER TABLE retrieval_receipt DROP COLUMN has_layers, DROP COLUMN line_ids, DROP COLUMN episode_ids;
