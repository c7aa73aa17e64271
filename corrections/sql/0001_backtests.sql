-- Purpose: backtests as counts, and samples as places in messages: no word of a user is copied, erasing and forgetting
-- a message takes its samples along or hides them (T-3, G-1, G-3).

CREATE TABLE corrections_backtest (
  tenant_id uuid NOT NULL,
  id uuid NOT NULL PRIMARY KEY,
  subject_kind varchar(5) NOT NULL,
  subject_id uuid NOT NULL,
  version_id uuid NOT NULL,
  requested_by varchar(64) NOT NULL,
  messages_per_language integer NOT NULL,
  state varchar(9) NOT NULL DEFAULT 'queued',
  cursor_id uuid,
  scanned integer NOT NULL DEFAULT 0,
  counts jsonb NOT NULL DEFAULT '{}',
  rule_set_version bigint,
  error_code varchar(40) NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  heartbeat_at timestamptz,
  finished_at timestamptz,
  CONSTRAINT a_backtest_is_of_a_rule_or_an_entry CHECK (subject_kind IN ('rule', 'entry')),
  CONSTRAINT a_backtest_state_is_known CHECK (state IN ('queued', 'running', 'done', 'cancelled', 'failed')),
  CONSTRAINT a_backtest_reads_some_messages CHECK (messages_per_language BETWEEN 1 AND 100000)
);
-- Serves: the backtests of a draft, newest first, and whether one of them is finished.
CREATE INDEX backtests_of_a_version ON corrections_backtest (tenant_id, version_id, id DESC);
-- Serves: keeping the last few of a rule or entry.
CREATE INDEX backtests_of_a_subject ON corrections_backtest (tenant_id, subject_id, id DESC);

CREATE TABLE corrections_backtest_sample (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  backtest_id uuid NOT NULL REFERENCES corrections_backtest (id) ON DELETE CASCADE,
  message_id uuid NOT NULL,
  change varchar(10) NOT NULL,
  knowledge_type varchar(20) NOT NULL,
  language varchar(16) NOT NULL,
  first_character integer NOT NULL,
  last_character integer NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_sample_is_from_a_message_of_its_user
    FOREIGN KEY (user_id, message_id) REFERENCES memory_message (user_id, id) ON DELETE CASCADE,
  CONSTRAINT a_sample_is_a_known_change CHECK (change IN ('added', 'lost', 'changed', 'superseded'))
);
-- Serves: the samples of a backtest, and the cascade from it.
CREATE INDEX samples_of_a_backtest ON corrections_backtest_sample (backtest_id, change);
-- Serves: the cascade from messages.
CREATE INDEX samples_from_a_message ON corrections_backtest_sample (user_id, message_id);
