-- Purpose: takes 0001_tables back.
DROP FUNCTION claim_expired_kept_items_v1(timestamptz, integer);
DROP TABLE kept_item;
