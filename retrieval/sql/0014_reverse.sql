-- Purpose: take back 0014_keyed_hashes.sql. Hashes that were never made are empty.
UPDATE retrieval_receipt SET query_hash = '' WHERE query_hash IS NULL;
ALTER TABLE retrieval_receipt ALTER query_hash SET NOT NULL;
REVOKE UPDATE (query_hash, rendering_hash, mood) ON retrieval_receipt FROM unde_app, unde_worker;
