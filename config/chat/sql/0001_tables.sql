-- Purpose: the turns of conversations: who is answering a message now, how it ended, and the receipt of a skill's execution.

CREATE TABLE chat_turn (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  message_id uuid NOT NULL,
  state varchar(8) NOT NULL,
  claim uuid NOT NULL,
  claimed_until timestamptz NOT NULL,
  tries integer NOT NULL DEFAULT 1,
  failure varchar(60) NOT NULL DEFAULT '',
  reply_id uuid,
  receipt_id uuid,
  skill varchar(100) NOT NULL DEFAULT '',
  skill_status varchar(12) NOT NULL DEFAULT '',
  skill_code varchar(60) NOT NULL DEFAULT '',
  skill_ms integer NOT NULL DEFAULT 0,
  sealed bytea,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  PRIMARY KEY (user_id, id),
  -- Serves: the claim of a turn, and the turn of a message that is sent again.
  CONSTRAINT a_message_has_one_turn UNIQUE (user_id, message_id),
  CONSTRAINT a_turn_answers_a_message FOREIGN KEY (user_id, message_id) REFERENCES memory_message (user_id, id),
  CONSTRAINT a_turn_is_running_done_or_failed CHECK (state IN ('running', 'done', 'failed')),
  CONSTRAINT a_turn_that_is_not_running_has_ended CHECK ((state = 'running') = (ended_at IS NULL)),
  CONSTRAINT a_turn_that_is_done_has_a_reply CHECK (state <> 'done' OR reply_id IS NOT NULL),
  CONSTRAINT a_failed_turn_says_why CHECK ((state = 'failed') = (failure <> '')),
  CONSTRAINT an_execution_has_a_skill_and_a_status CHECK ((skill = '') = (skill_status = '')),
  CONSTRAINT an_execution_has_an_end_that_is_known
    CHECK (skill_status IN ('', 'done', 'failed', 'unavailable', 'refused'))
);
ALTER TABLE chat_turn ALTER sealed SET STATISTICS 0, ALTER skill SET STATISTICS 0, ALTER skill_code SET STATISTICS 0,
  ALTER failure SET STATISTICS 0;
