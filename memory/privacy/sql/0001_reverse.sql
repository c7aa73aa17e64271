-- Purpose: takes 0001_tables back.
DROP FUNCTION count_open_privacy_requests_v1();
DROP FUNCTION claim_privacy_callbacks_v1(timestamptz, timestamptz, integer);
DROP FUNCTION claim_privacy_requests_v1(timestamptz, timestamptz, integer);
DROP TABLE privacy_callback;
DROP TABLE privacy_request;
DROP FUNCTION keep_privacy_request_v1();
