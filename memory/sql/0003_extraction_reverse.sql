-- Purpose: takes 0003_extraction.sql back.
DROP FUNCTION claim_extractions_v1(timestamptz, interval, interval, interval, integer, uuid[]);
DROP FUNCTION count_pending_extractions_v1();
DROP FUNCTION claim_expired_candidates_v1(timestamptz, integer);
DROP TABLE extraction_quarantine, extraction_tenant_state, review_sample, fact_candidate, extraction_run;
DROP INDEX conversations_with_pending;
ALTER TABLE memory_conversation DROP CONSTRAINT extraction_reads_what_was_said, DROP COLUMN extracted_seq;
