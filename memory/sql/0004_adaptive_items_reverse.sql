-- Purpose: takes 0004_adaptive_items.sql back.
DROP INDEX candidates_of_a_tenant;
DROP FUNCTION claim_expired_items_v1(timestamptz, integer);
DROP TABLE adaptive_item;
