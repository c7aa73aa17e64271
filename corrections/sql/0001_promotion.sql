-- Purpose: proposals for a tenant's knowledge, and whose facts stand behind them (SPEC N-8, D-50).
CREATE TABLE promotion_proposal (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid PRIMARY KEY,
  knowledge_type varchar(40) NOT NULL,
  value varchar(200) NOT NULL,
  confidence real NOT NULL,
  seen integer NOT NULL,
  users integer NOT NULL,
  sessions integer NOT NULL,
  conflict real NOT NULL,
  state varchar(8) NOT NULL DEFAULT 'pending',
  corpus varchar(128) NOT NULL DEFAULT '',
  staff_id bigint,
  decided_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT a_value_is_proposed_once UNIQUE (tenant_id, knowledge_type, value),
  CONSTRAINT a_proposal_is_pending_accepted_or_refused CHECK (state IN ('pending', 'accepted', 'refused')),
  CONSTRAINT what_was_accepted_is_in_a_corpus CHECK ((state = 'accepted') = (corpus <> '')),
  CONSTRAINT a_proposal_has_a_value CHECK (value <> '')
);
CREATE TABLE promotion_evidence (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  proposal_id uuid NOT NULL REFERENCES promotion_proposal (id) ON DELETE CASCADE,
  sealed bytea NOT NULL,
  seen integer NOT NULL,
  found_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_user_stands_behind_a_proposal_once UNIQUE (user_id, proposal_id)
);
-- Serves: whether anybody is left behind a proposal.
CREATE INDEX evidence_of_a_proposal ON promotion_evidence (proposal_id);
-- What was said is in no sample of the planner.
ALTER TABLE promotion_proposal ALTER value SET STATISTICS 0;
ALTER TABLE promotion_evidence ALTER sealed SET STATISTICS 0;
