-- Purpose: takes 0013_offline.sql back.
DROP FUNCTION count_precision_v1(timestamptz, integer);
DROP FUNCTION read_offline_languages_v1();
DROP TABLE corrections_rule_warning;
DROP TABLE quality_run;
