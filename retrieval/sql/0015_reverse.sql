-- Purpose: take back 0015_outages.sql.
DROP FUNCTION sweep_embedding_tasks_v2(timestamptz, integer);
ALTER TABLE embedding_model
  DROP COLUMN outages, DROP COLUMN failing_since, DROP COLUMN resting_until, DROP COLUMN failure_code;
