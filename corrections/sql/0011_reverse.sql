-- Purpose: takes 0011_quality.sql back.
DROP FUNCTION read_quality_v1();
DROP FUNCTION count_governor_actions_v1();
DROP FUNCTION count_embedding_priorities_v1();
DROP FUNCTION measure_pending_extractions_v1();
DROP FUNCTION count_review_errors_v1(timestamptz);
DROP TABLE governor_action;
DROP TABLE quality_trend;
