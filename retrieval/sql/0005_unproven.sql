-- Purpose: a receipt names what its pack showed as unverified or as a tentative item (SPEC P-4, X-7, D-25).
ALTER TABLE retrieval_receipt ADD COLUMN unproven_ids uuid[] NOT NULL DEFAULT '{}';
