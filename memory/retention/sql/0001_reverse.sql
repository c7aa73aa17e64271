-- Purpose: takes 0001_tables back.
DROP FUNCTION list_retaining_tenants_v1;
DROP FUNCTION list_over_age_v1;
DROP FUNCTION kept_days_v1;
DROP TABLE retention_run;
