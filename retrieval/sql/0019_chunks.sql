-- Purpose: receipts say which chunks of knowledge were in a pack, in its order (SPEC P-4, N-5).
ALTER TABLE retrieval_receipt ADD COLUMN chunk_ids bigint[] NOT NULL DEFAULT '{}';
ALTER TABLE retrieval_receipt ALTER chunk_ids SET STATISTICS 0;
