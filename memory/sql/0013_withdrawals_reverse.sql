DROP FUNCTION claim_fact_jobs_v1(timestamptz, timestamptz, integer);
DROP TABLE memory_fact_job;
DROP INDEX facts_of_a_rule;
