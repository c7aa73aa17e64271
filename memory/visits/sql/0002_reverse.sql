-- Purpose: takes 0002_consent back. Links that allowed it lose that, and those that allowed nothing else go.
DELETE FROM visit WHERE permissions = ARRAY['consent']::varchar[];
ALTER TABLE visit DISABLE TRIGGER a_visit_is_opened_once;
UPDATE visit SET permissions = array_remove(permissions, 'consent') WHERE 'consent' = ANY(permissions);
ALTER TABLE visit ENABLE TRIGGER a_visit_is_opened_once;
ALTER TABLE visit DROP CONSTRAINT a_visit_may_do_something;
ALTER TABLE visit ADD CONSTRAINT a_visit_may_do_something CHECK (
  cardinality(permissions) > 0 AND permissions <@ ARRAY['read', 'correct', 'forget', 'pause', 'export', 'erase']::varchar[]);
