-- Purpose: the log of corrections, keyed by user first (D-10). A row goes with either of its messages.

CREATE TABLE memory_correction_log (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  trigger_message_id uuid NOT NULL,
  corrected_message_id uuid,
  deactivated_knowledge_id uuid,
  disputed_knowledge_id uuid,
  set_knowledge_id uuid,
  correction_type varchar(30) NOT NULL,
  language varchar(16) NOT NULL,
  golden_status varchar(16) NOT NULL DEFAULT 'candidate',
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_correction_is_made_by_a_message_of_its_user
    FOREIGN KEY (user_id, trigger_message_id) REFERENCES memory_message (user_id, id) ON DELETE CASCADE,
  CONSTRAINT a_correction_answers_a_message_of_its_user
    FOREIGN KEY (user_id, corrected_message_id) REFERENCES memory_message (user_id, id) ON DELETE CASCADE,
  CONSTRAINT a_correction_type_is_one_of_four
    CHECK (correction_type IN ('user_denied', 'wrong_subject', 'outdated', 'ambiguous')),
  CONSTRAINT an_ambiguous_correction_names_what_it_answers
    CHECK (correction_type <> 'ambiguous' OR corrected_message_id IS NOT NULL),
  CONSTRAINT a_golden_status_is_candidate_accepted_or_rejected
    CHECK (golden_status IN ('candidate', 'accepted', 'rejected')),
  CONSTRAINT a_message_is_not_corrected_by_itself CHECK (corrected_message_id IS DISTINCT FROM trigger_message_id)
);
-- Serves: the corrections of a user, newest first; the cascade from messages.
CREATE INDEX corrections_of_a_user_newest_first ON memory_correction_log (user_id, created_at DESC);
CREATE INDEX corrections_by_their_trigger ON memory_correction_log (user_id, trigger_message_id);
CREATE INDEX corrections_by_what_they_answer ON memory_correction_log (user_id, corrected_message_id)
  WHERE corrected_message_id IS NOT NULL;
-- Serves: rates by language, type and day, and the correction log of the console.
CREATE INDEX corrections_of_a_tenant_by_time ON memory_correction_log (tenant_id, created_at);
-- Serves: the list of golden-test candidates that wait for a reviewer.
CREATE INDEX golden_candidates_of_a_tenant ON memory_correction_log (tenant_id, created_at)
  WHERE golden_status = 'candidate';
