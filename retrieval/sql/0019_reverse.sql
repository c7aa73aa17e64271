ALTER TABLE retrieval_receipt DROP COLUMN chunk_ids;
