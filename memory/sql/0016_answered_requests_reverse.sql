-- Purpose: takes 0016_answered_requests back.
DROP FUNCTION claim_expired_answers_v1(timestamptz, integer);
DROP FUNCTION lock_request_v1(bytea);
DROP TABLE answered_request;
