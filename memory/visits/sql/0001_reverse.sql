-- Purpose: takes 0001_tables back.
DROP FUNCTION drop_visits_v1(timestamptz, integer);
DROP FUNCTION find_visit_v1(bytea, timestamptz);
DROP FUNCTION open_visit_v1(bytea, bytea, timestamptz, timestamptz);
DROP TABLE visit;
DROP FUNCTION keep_opened_visit_v1();
