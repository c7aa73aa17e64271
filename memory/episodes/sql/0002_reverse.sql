DROP FUNCTION count_episodes_v1(timestamptz, integer[]);
DROP FUNCTION claim_unlayered_users_v1(timestamptz, integer);
