-- Purpose: takes 0001_tables back.
DROP FUNCTION drop_imports_v1(timestamptz, integer);
DROP FUNCTION count_open_imports_v1(timestamptz);
DROP FUNCTION claim_imports_v1(timestamptz, timestamptz, integer);
DROP TABLE memory_import_part;
DROP TABLE memory_import;
DROP FUNCTION end_import_v1();
