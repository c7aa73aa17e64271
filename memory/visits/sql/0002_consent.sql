-- Purpose: a link may let its person say what they agree to.
ALTER TABLE visit DROP CONSTRAINT a_visit_may_do_something;
ALTER TABLE visit ADD CONSTRAINT a_visit_may_do_something CHECK (
  cardinality(permissions) > 0
  AND permissions <@ ARRAY['read', 'correct', 'forget', 'pause', 'consent', 'export', 'erase']::varchar[]);
