-- Purpose: takes back 0015_erasures_in_files.sql.
DROP FUNCTION find_erasures_in_files_v1(integer);
DROP INDEX erasures_by_completion;
DROP SEQUENCE erasure_generation;
