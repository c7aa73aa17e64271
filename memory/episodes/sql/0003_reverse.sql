DROP FUNCTION claim_unworded_episodes_v1(timestamptz, integer);
DROP INDEX episodes_to_word;
ALTER TABLE episode DROP COLUMN worded_at;
