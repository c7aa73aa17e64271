-- Purpose: the review queue (SPEC H-1, X-4) and written golden cases (C-2, D-27). Ids, codes and numbers of users; a golden
-- case holds a reviewer's own words.

CREATE TABLE corrections_review_item (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  source varchar(12) NOT NULL,
  fact_id uuid,
  correction_id uuid,
  operation varchar(8) NOT NULL,
  knowledge_type varchar(40) NOT NULL,
  language varchar(16) NOT NULL DEFAULT '',
  rule varchar(120) NOT NULL DEFAULT '',
  rule_version integer,
  model varchar(120) NOT NULL DEFAULT '',
  prompt_version varchar(16) NOT NULL DEFAULT '',
  evidence_message_ids uuid[] NOT NULL,
  reviewers_wanted smallint NOT NULL DEFAULT 1,
  state varchar(8) NOT NULL DEFAULT 'waiting',
  verdict varchar(16),
  decided_at timestamptz,
  locked_by varchar(80) NOT NULL DEFAULT '',
  locked_until timestamptz,
  skipped_by varchar(80)[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  -- Who is to judge an item: a staff code, or '' for everybody.
  assigned_to varchar(80) NOT NULL DEFAULT '',
  PRIMARY KEY (user_id, id),
  CONSTRAINT an_item_comes_from_a_known_source
    CHECK (source IN ('instant', 'extraction', 'correction', 'message')),
  CONSTRAINT an_item_names_what_is_judged CHECK ((source = 'correction') = (correction_id IS NOT NULL)
    AND (source IN ('correction', 'message') OR fact_id IS NOT NULL)
    AND (source <> 'message' OR (fact_id IS NULL AND cardinality(evidence_message_ids) = 1))),
  CONSTRAINT an_item_is_for_one_to_five_reviewers CHECK (reviewers_wanted BETWEEN 1 AND 5),
  CONSTRAINT a_decision_is_one_of_five
    CHECK (verdict IN ('correct', 'wrong_subject', 'false_fact', 'missed_sarcasm', 'missed_fact')),
  CONSTRAINT only_a_message_can_hold_a_missed_fact CHECK (verdict IS NULL OR verdict = 'correct'
    OR (verdict = 'missed_fact') = (source = 'message')),
  CONSTRAINT a_decided_item_says_what_and_when CHECK (state IN ('waiting', 'decided')
    AND (state = 'decided') = (verdict IS NOT NULL) AND (state = 'decided') = (decided_at IS NOT NULL))
);
-- Prove that a fact or correction is sampled once; extraction's items bear the id of their sample.
CREATE UNIQUE INDEX an_instant_fact_is_sampled_once ON corrections_review_item (user_id, fact_id) WHERE source = 'instant';
CREATE UNIQUE INDEX a_correction_is_sampled_once ON corrections_review_item (user_id, correction_id)
  WHERE correction_id IS NOT NULL;
-- Proves that a message is drawn once.
CREATE UNIQUE INDEX a_message_is_sampled_once ON corrections_review_item (user_id, (evidence_message_ids[1]))
  WHERE source = 'message';
-- Serves: the queue, oldest first.
CREATE INDEX items_to_judge ON corrections_review_item (tenant_id, created_at) WHERE state = 'waiting';
-- Serves: error rates of a tenant since a day.
CREATE INDEX items_by_decision ON corrections_review_item (tenant_id, decided_at) WHERE state = 'decided';
-- Serves: find_owner of an item in the console.
CREATE INDEX owner_of_an_item ON corrections_review_item (id);
-- Serves: the list of samples, newest first, of a tenant.
CREATE INDEX items_of_a_tenant ON corrections_review_item (tenant_id, created_at DESC, id DESC);

CREATE TABLE corrections_review_verdict (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  item_id uuid NOT NULL,
  token uuid NOT NULL,
  reviewer varchar(80) NOT NULL,
  verdict varchar(16) NOT NULL,
  milliseconds integer NOT NULL,
  judged_at timestamptz NOT NULL,
  undone_at timestamptz,
  -- A note and the value that is right, as JSON sealed with the user's key: they may quote what the user said (D-15).
  remark bytea,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_verdict_is_about_an_item_of_its_user
    FOREIGN KEY (user_id, item_id) REFERENCES corrections_review_item (user_id, id) ON DELETE CASCADE,
  CONSTRAINT a_reviewers_verdict_is_one_of_five
    CHECK (verdict IN ('correct', 'wrong_subject', 'false_fact', 'missed_sarcasm', 'missed_fact')),
  CONSTRAINT a_verdict_takes_up_to_an_hour CHECK (milliseconds BETWEEN 0 AND 3600000)
);
-- No statistics of what can hold words (SPEC G-3).
ALTER TABLE corrections_review_verdict ALTER COLUMN remark SET STATISTICS 0;
-- Proves that a verdict that is sent twice counts once, also after it was taken back.
CREATE UNIQUE INDEX a_token_counts_once ON corrections_review_verdict (user_id, item_id, token);
-- Proves that a reviewer judges an item once; serves the queue (what have I judged) and the decision.
CREATE UNIQUE INDEX a_reviewer_judges_an_item_once ON corrections_review_verdict (user_id, item_id, reviewer)
  WHERE undone_at IS NULL;
-- Serves: a reviewer's last verdict, today's count, agreement and pace.
CREATE INDEX verdicts_of_a_reviewer ON corrections_review_verdict (tenant_id, reviewer, judged_at DESC)
  WHERE undone_at IS NULL;
CREATE INDEX verdicts_of_a_tenant ON corrections_review_verdict (tenant_id, judged_at) WHERE undone_at IS NULL;
-- Serves: find_owner of a verdict that is taken back.
CREATE INDEX owner_of_a_verdict ON corrections_review_verdict (id);

-- No column names a user: a case is a reviewer's own text and stays when the user is erased; the correction's id then leads nowhere.
CREATE TABLE corrections_golden_case (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL PRIMARY KEY,
  correction_id uuid NOT NULL,
  language varchar(16) NOT NULL,
  content jsonb NOT NULL,
  written_by varchar(80) NOT NULL,
  written_at timestamptz NOT NULL,
  CONSTRAINT a_golden_case_has_content CHECK (jsonb_typeof(content) = 'object')
);
-- Proves that a correction has one case; serves the look-up and the export.
CREATE UNIQUE INDEX a_correction_has_one_case ON corrections_golden_case (tenant_id, correction_id);

-- Judged items retold as test cases of single messages. As above: the item's id then leads nowhere.
CREATE TABLE corrections_message_case (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL PRIMARY KEY,
  item_id uuid NOT NULL,
  language varchar(16) NOT NULL,
  content jsonb NOT NULL,
  written_by varchar(80) NOT NULL,
  written_at timestamptz NOT NULL,
  CONSTRAINT a_message_case_has_content CHECK (jsonb_typeof(content) = 'object')
);
-- Proves that an item has one case; serves the look-up and the export.
CREATE UNIQUE INDEX an_item_has_one_case ON corrections_message_case (tenant_id, item_id);
