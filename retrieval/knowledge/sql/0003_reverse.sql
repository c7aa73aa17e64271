-- Purpose: the way back from 0003_receipts.
DROP FUNCTION list_tenants_with_old_questions_v1(timestamptz, timestamptz);
DROP FUNCTION list_stale_graphs_v1(integer, integer);
DROP TABLE knowledge_receipt;
