-- Purpose: a visit that came with an export says when a page was opened elsewhere. It has no secrets and no key, and opens nothing here.
ALTER TABLE visit ALTER key_id DROP NOT NULL;
ALTER TABLE visit ALTER link_hash DROP NOT NULL;
ALTER TABLE visit ADD CONSTRAINT only_a_visit_of_elsewhere_has_no_link CHECK ((key_id IS NULL) = (link_hash IS NULL));
ALTER TABLE visit ADD CONSTRAINT a_visit_of_elsewhere_has_no_session CHECK (link_hash IS NOT NULL OR session_hash IS NULL);
ALTER TABLE visit DROP CONSTRAINT an_opened_visit_has_a_session_with_an_end;
ALTER TABLE visit ADD CONSTRAINT an_opened_visit_has_a_session_with_an_end CHECK (
  (link_hash IS NULL OR (opened_at IS NULL) = (session_hash IS NULL)) AND (opened_at IS NULL) = (expires_at IS NULL));
