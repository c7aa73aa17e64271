-- Purpose: takes 0003_taken_over back; visits of elsewhere go.
DELETE FROM visit WHERE link_hash IS NULL;
ALTER TABLE visit DROP CONSTRAINT an_opened_visit_has_a_session_with_an_end;
ALTER TABLE visit ADD CONSTRAINT an_opened_visit_has_a_session_with_an_end CHECK (
  (opened_at IS NULL) = (session_hash IS NULL) AND (opened_at IS NULL) = (expires_at IS NULL));
ALTER TABLE visit DROP CONSTRAINT a_visit_of_elsewhere_has_no_session;
ALTER TABLE visit DROP CONSTRAINT only_a_visit_of_elsewhere_has_no_link;
ALTER TABLE visit ALTER link_hash SET NOT NULL;
ALTER TABLE visit ALTER key_id SET NOT NULL;
