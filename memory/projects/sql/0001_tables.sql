-- Purpose: projects with what is recorded of them. Words are sealed; keys are HMACs under the key of the owner, or of the project
-- where it is shared (D-15, D-52). A record is a list of versions: a version is closed (known_to), never changed.

CREATE TABLE project (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  id uuid PRIMARY KEY,
  external_id varchar(128) NOT NULL,
  user_id uuid REFERENCES memory_user (id),
  change bigint NOT NULL DEFAULT 0,
  snapshots integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT a_project_has_an_external_id CHECK (external_id <> ''),
  CONSTRAINT an_external_id_is_one_project_of_a_tenant UNIQUE (tenant_id, external_id),
  CONSTRAINT a_project_is_of_one_tenant UNIQUE (tenant_id, id)
);
-- Serves: the projects of a user, and their erasure.
CREATE INDEX projects_of_a_user ON project (user_id) WHERE user_id IS NOT NULL;

CREATE TABLE project_version (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  version integer NOT NULL,
  status varchar(8) NOT NULL,
  sealed bytea NOT NULL,
  terms bigint[] NOT NULL DEFAULT '{}',
  known_from timestamptz NOT NULL,
  known_to timestamptz,
  PRIMARY KEY (project_id, version),
  CONSTRAINT a_version_goes_with_its_project
    FOREIGN KEY (tenant_id, project_id) REFERENCES project (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT a_project_has_a_known_status CHECK (status IN ('active', 'paused', 'done', 'archived')),
  CONSTRAINT a_version_of_a_project_ends_after_it_began CHECK (known_to >= known_from)
);
CREATE UNIQUE INDEX a_project_has_one_current_version ON project_version (project_id) WHERE known_to IS NULL;

-- What links, conflicts and snapshots may name.
CREATE TABLE project_item (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  kind varchar(8) NOT NULL,
  external_id varchar(128) NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id),
  CONSTRAINT an_item_goes_with_its_project
    FOREIGN KEY (tenant_id, project_id) REFERENCES project (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT an_item_has_a_known_kind CHECK (kind IN ('fact', 'decision', 'artifact', 'thread', 'snapshot')),
  CONSTRAINT an_id_is_one_item_of_its_kind UNIQUE (project_id, kind, external_id),
  CONSTRAINT an_item_stays_of_its_kind UNIQUE (project_id, id, kind),
  CONSTRAINT an_item_has_an_external_id CHECK (external_id <> '')
);
-- Serves: a decision or a snapshot by its bare id (POST /v1/decisions/{id}/state, GET /v1/snapshots/{id}).
CREATE INDEX project_items_of_a_tenant ON project_item (tenant_id, kind, external_id);

CREATE TABLE project_thread (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  conversation varchar(128) NOT NULL,
  scope varchar(5) NOT NULL,
  is_shared boolean NOT NULL DEFAULT false,
  read_seq integer NOT NULL DEFAULT 0,
  model_seq integer NOT NULL DEFAULT 0,
  bound_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id),
  item_kind varchar(8) GENERATED ALWAYS AS ('thread') STORED,
  CONSTRAINT a_thread_is_an_item
    FOREIGN KEY (project_id, id, item_kind) REFERENCES project_item (project_id, id, kind) ON DELETE CASCADE,
  CONSTRAINT a_conversation_is_one_thread_of_a_project UNIQUE (project_id, user_id, conversation),
  CONSTRAINT a_thread_has_a_known_scope CHECK (scope IN ('in', 'out', 'mixed'))
);
-- Serves: the projects of a conversation (normalise), and the erasure of a user.
CREATE INDEX project_threads_of_a_user ON project_thread (user_id, conversation);

CREATE TABLE project_artifact (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL,
  kind varchar(8) NOT NULL,
  sealed bytea NOT NULL,
  terms bigint[] NOT NULL DEFAULT '{}',
  known_from timestamptz NOT NULL,
  known_to timestamptz,
  PRIMARY KEY (project_id, id, version),
  item_kind varchar(8) GENERATED ALWAYS AS ('artifact') STORED,
  CONSTRAINT an_artifact_is_an_item
    FOREIGN KEY (project_id, id, item_kind) REFERENCES project_item (project_id, id, kind) ON DELETE CASCADE,
  CONSTRAINT an_artifact_has_a_known_kind CHECK (kind IN ('doc', 'note', 'file', 'dataset', 'web')),
  CONSTRAINT a_version_of_an_artifact_ends_after_it_began CHECK (known_to >= known_from)
);
CREATE UNIQUE INDEX an_artifact_has_one_current_version ON project_artifact (project_id, id) WHERE known_to IS NULL;

-- Of a message only its id and the place of the quotation in it are kept (D-51).
CREATE TABLE project_source (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  kind varchar(8) NOT NULL,
  user_id uuid,
  message_id uuid,
  quote_start integer,
  quote_end integer,
  artifact_id uuid,
  sealed bytea,
  key bytea NOT NULL,
  dated timestamptz NOT NULL,
  authority real,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, id),
  CONSTRAINT a_source_goes_with_its_project
    FOREIGN KEY (tenant_id, project_id) REFERENCES project (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT a_source_is_of_a_known_kind CHECK (kind IN ('message', 'document', 'url', 'artifact')),
  CONSTRAINT a_source_is_stored_once UNIQUE (project_id, key),
  CONSTRAINT a_source_names_a_message_that_is_there FOREIGN KEY (user_id, message_id) REFERENCES memory_message (user_id, id),
  CONSTRAINT a_source_names_an_artifact_that_is_there
    FOREIGN KEY (project_id, artifact_id) REFERENCES project_item (project_id, id) ON DELETE CASCADE,
  CONSTRAINT a_message_and_nothing_else_names_its_user
    CHECK ((kind = 'message') = (message_id IS NOT NULL) AND (message_id IS NULL) = (user_id IS NULL)),
  CONSTRAINT an_artifact_and_nothing_else_names_its_item CHECK ((kind = 'artifact') = (artifact_id IS NOT NULL)),
  CONSTRAINT words_of_a_message_are_kept_in_the_message_alone CHECK (kind <> 'message' OR sealed IS NULL),
  CONSTRAINT a_quotation_is_some_characters CHECK (quote_end > quote_start AND quote_start >= 0),
  CONSTRAINT an_authority_is_a_share CHECK (authority BETWEEN 0 AND 1)
);
-- Serves: what rests on a message, when it is forgotten or erased.
CREATE INDEX project_sources_of_a_message ON project_source (user_id, message_id) WHERE message_id IS NOT NULL;

CREATE TABLE project_fact (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL,
  level varchar(16) NOT NULL,
  status varchar(8) NOT NULL,
  is_exclusive boolean NOT NULL,
  is_negative boolean NOT NULL,
  subject_key bytea NOT NULL,
  value_key bytea NOT NULL,
  stance_key bytea NOT NULL,
  terms bigint[] NOT NULL,
  sealed bytea NOT NULL,
  source_id uuid,
  valid_from timestamptz NOT NULL,
  valid_to timestamptz,
  known_from timestamptz NOT NULL,
  known_to timestamptz,
  origin varchar(10) NOT NULL,
  actor varchar(80) NOT NULL,
  PRIMARY KEY (project_id, id, version),
  item_kind varchar(8) GENERATED ALWAYS AS ('fact') STORED,
  CONSTRAINT a_fact_is_an_item
    FOREIGN KEY (project_id, id, item_kind) REFERENCES project_item (project_id, id, kind) ON DELETE CASCADE,
  CONSTRAINT a_fact_rests_on_a_source_of_its_project
    FOREIGN KEY (project_id, source_id) REFERENCES project_source (project_id, id),
  CONSTRAINT without_a_source_there_is_no_fact CHECK (level = 'hypothesis' OR source_id IS NOT NULL),
  CONSTRAINT a_fact_has_a_known_level CHECK (level IN ('fact', 'hypothesis', 'interpretation')),
  CONSTRAINT a_fact_is_active_or_refuted CHECK (status IN ('active', 'refuted')),
  CONSTRAINT a_fact_has_a_known_origin CHECK (origin IN ('caller', 'rule', 'model', 'answer', 'import')),
  CONSTRAINT a_fact_ends_after_it_begins CHECK (valid_to > valid_from),
  CONSTRAINT a_version_of_a_fact_ends_after_it_began CHECK (known_to >= known_from)
);
CREATE UNIQUE INDEX a_fact_has_one_current_version ON project_fact (project_id, id) WHERE known_to IS NULL;
-- Serves: what is said of the same subject, for renewals and contradictions.
CREATE INDEX project_facts_of_a_subject ON project_fact (project_id, subject_key) WHERE known_to IS NULL;
-- Serves: what rests on a source.
CREATE INDEX project_facts_of_a_source ON project_fact (project_id, source_id) WHERE source_id IS NOT NULL;
-- Serves: the newest facts for a snapshot.
CREATE INDEX project_current_facts_by_time ON project_fact (project_id, valid_from DESC) WHERE known_to IS NULL;

CREATE TABLE project_evidence (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  fact_id uuid NOT NULL,
  source_id uuid NOT NULL,
  added_at timestamptz NOT NULL,
  PRIMARY KEY (project_id, fact_id, source_id),
  CONSTRAINT evidence_goes_with_its_fact
    FOREIGN KEY (project_id, fact_id) REFERENCES project_item (project_id, id) ON DELETE CASCADE,
  CONSTRAINT evidence_goes_with_its_source
    FOREIGN KEY (project_id, source_id) REFERENCES project_source (project_id, id) ON DELETE CASCADE
);
-- Serves: the facts that a source supports.
CREATE INDEX project_evidence_of_a_source ON project_evidence (project_id, source_id);

CREATE TABLE project_decision (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL,
  title_key bytea,
  terms bigint[] NOT NULL,
  sealed bytea,
  decided_at timestamptz NOT NULL,
  source_id uuid,
  is_source_erased boolean NOT NULL DEFAULT false,
  known_from timestamptz NOT NULL,
  known_to timestamptz,
  origin varchar(10) NOT NULL,
  actor varchar(80) NOT NULL,
  PRIMARY KEY (project_id, id, version),
  item_kind varchar(8) GENERATED ALWAYS AS ('decision') STORED,
  CONSTRAINT a_decision_is_an_item
    FOREIGN KEY (project_id, id, item_kind) REFERENCES project_item (project_id, id, kind) ON DELETE CASCADE,
  CONSTRAINT a_decision_rests_on_a_source_of_its_project
    FOREIGN KEY (project_id, source_id) REFERENCES project_source (project_id, id),
  CONSTRAINT a_decision_has_words_until_its_source_is_erased CHECK ((sealed IS NULL) = is_source_erased),
  CONSTRAINT an_erased_source_is_not_named CHECK (NOT is_source_erased OR source_id IS NULL AND title_key IS NULL),
  CONSTRAINT a_decision_has_a_known_origin CHECK (origin IN ('caller', 'rule', 'model', 'answer', 'import')),
  CONSTRAINT a_version_of_a_decision_ends_after_it_began CHECK (known_to >= known_from)
);
CREATE UNIQUE INDEX a_decision_has_one_current_version ON project_decision (project_id, id) WHERE known_to IS NULL;
-- Serves: decisions of the same title, for contradictions.
CREATE INDEX project_decisions_of_a_title ON project_decision (project_id, title_key) WHERE known_to IS NULL;
-- Serves: what rests on a source.
CREATE INDEX project_decisions_of_a_source ON project_decision (project_id, source_id) WHERE source_id IS NOT NULL;

CREATE TABLE project_decision_state (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  decision_id uuid NOT NULL,
  position integer NOT NULL,
  state varchar(12) NOT NULL,
  at timestamptz NOT NULL,
  known_from timestamptz NOT NULL,
  known_to timestamptz,
  source_id uuid,
  is_source_erased boolean NOT NULL DEFAULT false,
  superseded_by uuid,
  is_recorded boolean NOT NULL DEFAULT false,
  sealed bytea,
  actor varchar(80) NOT NULL,
  PRIMARY KEY (project_id, decision_id, position),
  item_kind varchar(8) GENERATED ALWAYS AS ('decision') STORED,
  CONSTRAINT a_state_is_of_a_decision
    FOREIGN KEY (project_id, decision_id, item_kind) REFERENCES project_item (project_id, id, kind) ON DELETE CASCADE,
  CONSTRAINT a_decision_is_superseded_by_one_of_its_project
    FOREIGN KEY (project_id, superseded_by) REFERENCES project_item (project_id, id) ON DELETE CASCADE,
  CONSTRAINT a_state_rests_on_a_source_of_its_project
    FOREIGN KEY (project_id, source_id) REFERENCES project_source (project_id, id),
  CONSTRAINT a_decision_has_a_known_state
    CHECK (state IN ('proposed', 'accepted', 'implemented', 'verified', 'rejected', 'superseded')),
  CONSTRAINT without_a_source_a_decision_is_proposed_or_rejected
    CHECK (state IN ('proposed', 'rejected') OR source_id IS NOT NULL OR is_source_erased),
  CONSTRAINT a_superseded_decision_names_its_successor
    CHECK (CASE WHEN state = 'superseded' THEN superseded_by IS NOT NULL OR is_recorded ELSE superseded_by IS NULL END),
  CONSTRAINT a_decision_does_not_supersede_itself CHECK (superseded_by <> decision_id),
  CONSTRAINT a_state_ends_after_it_was_known CHECK (known_to >= known_from)
);
-- Serves: the state of each decision at a moment.
CREATE INDEX project_states_by_time ON project_decision_state (project_id, decision_id, at DESC, position DESC) INCLUDE (state)
  WHERE known_to IS NULL;
-- Serves: what a decision superseded, and its deletion.
CREATE INDEX project_states_of_a_successor ON project_decision_state (project_id, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX project_states_of_a_source ON project_decision_state (project_id, source_id) WHERE source_id IS NOT NULL;

CREATE TABLE project_link (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  from_id uuid NOT NULL,
  to_id uuid NOT NULL,
  kind varchar(11) NOT NULL,
  weight real NOT NULL,
  source_id uuid,
  is_supersession boolean NOT NULL DEFAULT false,
  valid_from timestamptz NOT NULL,
  valid_to timestamptz,
  known_from timestamptz NOT NULL,
  known_to timestamptz,
  origin varchar(10) NOT NULL,
  PRIMARY KEY (project_id, id),
  CONSTRAINT a_link_starts_at_an_item
    FOREIGN KEY (project_id, from_id) REFERENCES project_item (project_id, id) ON DELETE CASCADE,
  CONSTRAINT a_link_ends_at_an_item
    FOREIGN KEY (project_id, to_id) REFERENCES project_item (project_id, id) ON DELETE CASCADE,
  CONSTRAINT a_link_rests_on_a_source_of_its_project
    FOREIGN KEY (project_id, source_id) REFERENCES project_source (project_id, id) ON DELETE SET NULL (source_id),
  CONSTRAINT a_link_leads_elsewhere CHECK (from_id <> to_id),
  CONSTRAINT a_link_has_a_known_kind
    CHECK (kind IN ('cause', 'analogy', 'temporal', 'refines', 'contradicts', 'depends')),
  CONSTRAINT a_weight_is_a_share CHECK (weight BETWEEN 0 AND 1),
  CONSTRAINT only_what_refines_supersedes CHECK (NOT is_supersession OR kind = 'refines'),
  CONSTRAINT a_link_ends_after_it_begins CHECK (valid_to >= valid_from),
  CONSTRAINT a_version_of_a_link_ends_after_it_began CHECK (known_to >= known_from)
);
CREATE UNIQUE INDEX a_link_is_current_once ON project_link (project_id, from_id, to_id, kind) WHERE known_to IS NULL;
-- Serves: the links that end at an item, and its deletion.
CREATE INDEX project_links_to_an_item ON project_link (project_id, to_id);
CREATE INDEX project_links_of_a_source ON project_link (project_id, source_id) WHERE source_id IS NOT NULL;

CREATE TABLE project_conflict (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  rule varchar(10) NOT NULL,
  left_id uuid NOT NULL,
  right_id uuid NOT NULL,
  status varchar(8) NOT NULL,
  opened_at timestamptz NOT NULL,
  resolved_at timestamptz,
  kept_id uuid,
  resolution varchar(12),
  actor varchar(80),
  sealed bytea,
  PRIMARY KEY (project_id, id),
  CONSTRAINT a_conflict_names_its_first_item
    FOREIGN KEY (project_id, left_id) REFERENCES project_item (project_id, id) ON DELETE CASCADE,
  CONSTRAINT a_conflict_names_its_second_item
    FOREIGN KEY (project_id, right_id) REFERENCES project_item (project_id, id) ON DELETE CASCADE,
  CONSTRAINT a_conflict_is_between_two CHECK (left_id < right_id),
  CONSTRAINT a_conflict_is_found_by_a_known_rule CHECK (rule IN ('exclusive', 'polarity', 'title')),
  CONSTRAINT a_conflict_keeps_one_of_the_two CHECK (kept_id IN (left_id, right_id)),
  CONSTRAINT a_resolved_conflict_says_how CHECK (
    (status = 'open' AND resolved_at IS NULL AND resolution IS NULL AND kept_id IS NULL)
    OR (status = 'resolved' AND resolved_at IS NOT NULL AND resolution IN ('person', 'later_fact', 'superseded', 'changed')))
);
CREATE UNIQUE INDEX two_items_have_one_open_conflict ON project_conflict (project_id, left_id, right_id) WHERE status = 'open';
-- Serves: the conflicts of an item, and its deletion.
CREATE INDEX project_conflicts_of_the_second ON project_conflict (project_id, right_id);

CREATE TABLE project_question (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  conflict_id uuid,
  source_id uuid,
  sealed bytea,
  key bytea NOT NULL,
  status varchar(8) NOT NULL,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
  asked_at timestamptz,
  PRIMARY KEY (project_id, id),
  CONSTRAINT a_question_goes_with_its_project
    FOREIGN KEY (tenant_id, project_id) REFERENCES project (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT a_question_goes_with_its_conflict
    FOREIGN KEY (project_id, conflict_id) REFERENCES project_conflict (project_id, id) ON DELETE CASCADE,
  CONSTRAINT a_question_goes_with_its_source
    FOREIGN KEY (project_id, source_id) REFERENCES project_source (project_id, id) ON DELETE CASCADE,
  CONSTRAINT a_question_is_asked_once UNIQUE (project_id, key),
  CONSTRAINT a_question_has_words_or_a_conflict CHECK ((sealed IS NULL) <> (conflict_id IS NULL)),
  CONSTRAINT a_question_is_open_or_closed
    CHECK (status IN ('open', 'answered', 'dropped') AND (status = 'open') = (closed_at IS NULL))
);
-- Serves: the questions of a conflict and of a source, and their deletion.
CREATE INDEX project_questions_of_a_conflict ON project_question (project_id, conflict_id) WHERE conflict_id IS NOT NULL;
CREATE INDEX project_questions_of_a_source ON project_question (project_id, source_id) WHERE source_id IS NOT NULL;

-- Ids and versions alone: the text is joined when a snapshot is read (D-52).
CREATE TABLE project_snapshot (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  version integer NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  change bigint NOT NULL,
  cache_key bytea NOT NULL,
  built_at timestamptz NOT NULL,
  as_of timestamptz,
  known_at timestamptz,
  project_version integer NOT NULL,
  budget_tokens integer NOT NULL,
  used_tokens integer NOT NULL,
  entries jsonb NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (project_id, id),
  item_kind varchar(8) GENERATED ALWAYS AS ('snapshot') STORED,
  CONSTRAINT a_snapshot_is_an_item
    FOREIGN KEY (project_id, id, item_kind) REFERENCES project_item (project_id, id, kind) ON DELETE CASCADE,
  CONSTRAINT a_number_is_one_snapshot_of_a_project UNIQUE (project_id, version),
  CONSTRAINT a_snapshot_keeps_to_its_budget CHECK (used_tokens <= budget_tokens)
);
-- Serves: the snapshot that was just built for the same question.
CREATE INDEX project_snapshots_to_use_again ON project_snapshot (project_id, cache_key, built_at DESC);
-- Serves: the erasure of a user.
CREATE INDEX project_snapshots_of_a_user ON project_snapshot (user_id);

-- Counts and times of what was done, for the monitor. No words, no users.
CREATE TABLE project_run (
  tenant_id uuid NOT NULL,
  project_id uuid NOT NULL,
  id uuid NOT NULL,
  process varchar(10) NOT NULL,
  at timestamptz NOT NULL,
  milliseconds real NOT NULL,
  budget_tokens integer NOT NULL DEFAULT 0,
  used_tokens integer NOT NULL DEFAULT 0,
  stated integer NOT NULL DEFAULT 0,
  attributed integer NOT NULL DEFAULT 0,
  cited integer NOT NULL DEFAULT 0,
  hits integer NOT NULL DEFAULT 0,
  refused integer NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, id),
  CONSTRAINT a_run_goes_with_its_project
    FOREIGN KEY (tenant_id, project_id) REFERENCES project (tenant_id, id) ON DELETE CASCADE,
  CONSTRAINT a_run_is_of_a_known_process CHECK (process IN ('update', 'snapshot', 'context', 'writeback', 'normalise', 'infer'))
);
-- Serves: the figures of the last days.
CREATE INDEX project_runs_by_time ON project_run (project_id, at DESC);

-- What was deleted is in no sample of the planner either.
ALTER TABLE project ALTER external_id SET STATISTICS 0;
ALTER TABLE project_item ALTER external_id SET STATISTICS 0;
ALTER TABLE project_version ALTER sealed SET STATISTICS 0, ALTER terms SET STATISTICS 0;
ALTER TABLE project_thread ALTER conversation SET STATISTICS 0;
ALTER TABLE project_artifact ALTER sealed SET STATISTICS 0, ALTER terms SET STATISTICS 0;
ALTER TABLE project_source ALTER sealed SET STATISTICS 0, ALTER key SET STATISTICS 0;
ALTER TABLE project_fact ALTER sealed SET STATISTICS 0, ALTER terms SET STATISTICS 0, ALTER subject_key SET STATISTICS 0,
  ALTER value_key SET STATISTICS 0, ALTER stance_key SET STATISTICS 0;
ALTER TABLE project_decision ALTER sealed SET STATISTICS 0, ALTER terms SET STATISTICS 0, ALTER title_key SET STATISTICS 0;
ALTER TABLE project_decision_state ALTER sealed SET STATISTICS 0;
ALTER TABLE project_conflict ALTER sealed SET STATISTICS 0;
ALTER TABLE project_question ALTER sealed SET STATISTICS 0, ALTER key SET STATISTICS 0;
ALTER TABLE project_snapshot ALTER cache_key SET STATISTICS 0, ALTER entries SET STATISTICS 0;
