-- Purpose: the tables of the room, keyed by user first (D-10), with the constraints that keep the two truths true.

CREATE TABLE memory_user (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  external_id varchar(128) NOT NULL,
  log_position bigint NOT NULL DEFAULT 0,
  fenced_at timestamptz,
  created_at timestamptz NOT NULL,
  -- A user with tombstones is checked item by item; all others pay nothing for it (D-29).
  has_tombstones boolean NOT NULL DEFAULT false,
  paused_at timestamptz,
  pause_keeps boolean NOT NULL DEFAULT false,
  CONSTRAINT only_a_pause_keeps_messages CHECK (paused_at IS NOT NULL OR NOT pause_keeps),
  CONSTRAINT a_user_has_an_external_id CHECK (external_id <> ''),
  CONSTRAINT an_external_id_is_one_user_of_a_tenant UNIQUE (tenant_id, external_id)
);
-- Serves: the list of users, newest last (GET /v1/users).
CREATE INDEX users_of_a_tenant ON memory_user (tenant_id, id);

CREATE TABLE memory_conversation (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  external_id varchar(128) NOT NULL,
  last_seq integer NOT NULL DEFAULT 0,
  last_message_at timestamptz,
  pending_count integer NOT NULL DEFAULT 0,
  pending_since timestamptz,
  last_extraction_at timestamptz,
  created_at timestamptz NOT NULL,
  -- Which messages extraction has read is kept as a place in the conversation: places are given under the user's lock, so
  -- none can slip in behind, as a time of arrival could.
  extracted_seq integer NOT NULL DEFAULT 0,
  -- When the new messages are to be looked at for episodes, null when there are none; and the last place that was looked at.
  cut_due_at timestamptz,
  cut_seq integer NOT NULL DEFAULT 0,
  CONSTRAINT extraction_reads_what_was_said CHECK (extracted_seq BETWEEN 0 AND last_seq),
  CONSTRAINT cutting_looks_at_what_was_said CHECK (cut_seq BETWEEN 0 AND last_seq),
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_conversation_has_an_external_id CHECK (external_id <> ''),
  CONSTRAINT a_conversation_id_is_unique_within_its_user UNIQUE (user_id, external_id),
  CONSTRAINT pending_messages_are_counted_from_zero CHECK (pending_count >= 0)
);
-- Serves: claim_extractions_v1. `pending_count` is left out on purpose: counting a message must not touch an index.
CREATE INDEX conversations_with_pending ON memory_conversation (pending_since) WHERE pending_since IS NOT NULL;
-- Serves: claim_uncut_conversations_v1. A conversation enters it with its first uncut message: the next ones touch no index.
CREATE INDEX conversations_to_cut ON memory_conversation (cut_due_at) WHERE cut_due_at IS NOT NULL;

CREATE TABLE memory_message (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  conversation_id uuid NOT NULL,
  seq integer NOT NULL,
  client_id varchar(128),
  content_hash bytea NOT NULL,
  role varchar(16) NOT NULL,
  speaker varchar(128) NOT NULL DEFAULT '',
  content text NOT NULL,
  blocks jsonb,
  response_description text,
  memory_type varchar(16) NOT NULL DEFAULT 'chat',
  mood varchar(40) NOT NULL DEFAULT '',
  metadata jsonb NOT NULL DEFAULT '{}',
  language varchar(16) NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  reply_to_id uuid,
  replaces_id uuid,
  receipt_id uuid,
  forgotten_at timestamptz,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_message_belongs_to_a_conversation_of_its_user
    FOREIGN KEY (user_id, conversation_id) REFERENCES memory_conversation (user_id, id),
  CONSTRAINT a_reply_answers_a_message_of_its_user
    FOREIGN KEY (user_id, reply_to_id) REFERENCES memory_message (user_id, id) ON DELETE SET NULL (reply_to_id),
  CONSTRAINT an_edit_replaces_a_message_of_its_user
    FOREIGN KEY (user_id, replaces_id) REFERENCES memory_message (user_id, id) ON DELETE SET NULL (replaces_id),
  CONSTRAINT a_place_in_a_conversation_is_taken_once UNIQUE (user_id, conversation_id, seq),
  CONSTRAINT seq_counts_from_one CHECK (seq > 0),
  CONSTRAINT a_role_is_user_assistant_or_system CHECK (role IN ('user', 'assistant', 'system')),
  CONSTRAINT a_memory_type_is_one_of_five CHECK (memory_type IN ('chat', 'fact', 'event', 'emotion', 'preference')),
  CONSTRAINT only_assistant_messages_have_a_description CHECK (response_description IS NULL OR role = 'assistant'),
  CONSTRAINT a_message_does_not_replace_itself CHECK (replaces_id IS DISTINCT FROM id)
);
-- Serves: a repeated client id finds its first answer; the same id twice can't be stored twice (SPEC M-1).
CREATE UNIQUE INDEX a_client_id_is_unique_in_its_conversation
  ON memory_message (user_id, conversation_id, client_id) WHERE client_id IS NOT NULL;
-- Serves: reading a conversation in the order in which it was said (recent messages, neighbours, listing).
CREATE INDEX messages_as_said ON memory_message (user_id, conversation_id, created_at, seq);
-- Serves: the listing and export of everything a user said, and erasure by time range.
CREATE INDEX messages_of_a_user_as_said ON memory_message (user_id, created_at, id);
-- Serves: find_owner(id), for URLs with a bare message id and nothing else (D-10).
CREATE INDEX owner_of_a_message ON memory_message (id);
-- Serves: is this message replaced by a newer version?
CREATE INDEX newer_version_of_a_message ON memory_message (user_id, replaces_id) WHERE replaces_id IS NOT NULL;
-- Serves: the replies to a message (regenerated answers, forgetting the description of what answered it).
CREATE INDEX replies_to_a_message ON memory_message (user_id, reply_to_id) WHERE reply_to_id IS NOT NULL;

CREATE TABLE memory_action (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  position bigint NOT NULL,
  kind varchar(20) NOT NULL,
  actor varchar(80) NOT NULL,
  message_id uuid,
  batch_id uuid,
  effects jsonb NOT NULL DEFAULT '[]',
  detail jsonb NOT NULL DEFAULT '{}',
  sealed bytea,
  rule_set_version integer,
  engine_version varchar(20) NOT NULL,
  said_at timestamptz NOT NULL,
  recorded_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_place_in_the_action_log_is_taken_once UNIQUE (user_id, position),
  CONSTRAINT an_action_is_of_a_known_kind CHECK (kind IN (
    'instant', 'correction', 'onboarding', 'explicit', 'confirm', 'dispute', 'retract', 'edit', 'forget', 'restore',
    'expire', 'extraction', 'verdict', 'withdraw', 'close', 'anchor', 'calibrate', 'merge', 'part'))
);
-- Serves: what a message taught, for the answer to a repeated client id and the timeline.
CREATE INDEX actions_on_a_message ON memory_action (user_id, message_id) WHERE message_id IS NOT NULL;
-- Proves that a night adjusts a fact once; serves the last adjustment of a fact and what was decided about it.
CREATE UNIQUE INDEX a_fact_is_calibrated_once_a_night ON memory_action (user_id, (detail ->> 'fact_id'), (detail ->> 'night'))
  WHERE kind = 'calibrate' AND detail ? 'night';
CREATE INDEX calibrations_of_a_fact ON memory_action (user_id, (detail ->> 'fact_id'), position) WHERE kind = 'calibrate';

CREATE TABLE user_knowledge (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  knowledge_type varchar(40) NOT NULL,
  key_hash bytea NOT NULL,
  sealed bytea NOT NULL,
  version integer NOT NULL DEFAULT 1,
  confidence double precision NOT NULL,
  extracted_from varchar(20) NOT NULL,
  provenance varchar(20) NOT NULL,
  epistemic_type varchar(20) NOT NULL DEFAULT 'fact',
  valid_at timestamptz NOT NULL,
  invalid_at timestamptz,
  expires_at timestamptz,
  last_validated_at timestamptz NOT NULL,
  log_position bigint NOT NULL,
  action_id uuid NOT NULL,
  superseded_by uuid,
  is_active boolean NOT NULL DEFAULT true,
  is_disputed boolean NOT NULL DEFAULT false,
  evidence_message_ids uuid[] NOT NULL DEFAULT '{}',
  language varchar(16) NOT NULL DEFAULT '',
  rule varchar(120),
  rule_version integer,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_fact_was_written_by_an_action
    FOREIGN KEY (user_id, action_id) REFERENCES memory_action (user_id, id),
  CONSTRAINT a_fact_is_superseded_by_a_fact_of_its_user
    FOREIGN KEY (user_id, superseded_by) REFERENCES user_knowledge (user_id, id)
    ON DELETE SET NULL (superseded_by) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT a_fact_is_of_a_guaranteed_type CHECK (knowledge_type IN (
    'body_params', 'budget', 'allergy', 'hard_ban', 'onboarding_style', 'life_event', 'brand_preference')),
  CONSTRAINT a_fact_has_evidence_or_a_person_behind_it CHECK (
    cardinality(evidence_message_ids) > 0 OR extracted_from IN ('onboarding', 'explicit', 'review')),
  CONSTRAINT a_brand_preference_comes_from_two_evidences CHECK (
    knowledge_type <> 'brand_preference' OR (extracted_from = 'batch' AND cardinality(evidence_message_ids) > 1)
    OR extracted_from IN ('correction', 'review')),
  CONSTRAINT evidence_holds_no_null CHECK (array_position(evidence_message_ids, NULL) IS NULL),
  CONSTRAINT a_source_is_known CHECK (extracted_from IN (
    'onboarding', 'instant_pattern', 'batch', 'explicit', 'correction', 'review')),
  CONSTRAINT an_epistemic_type_is_known CHECK (epistemic_type IN ('fact', 'opinion', 'preference', 'outdated')),
  CONSTRAINT confidence_stays_under_the_cap_of_its_provenance CHECK (
    confidence > 0 AND confidence <= CASE provenance
      WHEN 'observation' THEN 0.6 WHEN 'analysis' THEN 0.8 WHEN 'confirmed_by_user' THEN 1.0 ELSE 0 END),
  CONSTRAINT a_life_event_expires CHECK (knowledge_type <> 'life_event' OR expires_at IS NOT NULL),
  CONSTRAINT an_inactive_fact_says_since_when CHECK (is_active = (invalid_at IS NULL)),
  CONSTRAINT only_an_active_fact_is_disputed CHECK (is_active OR NOT is_disputed),
  CONSTRAINT an_active_fact_is_not_superseded CHECK (NOT is_active OR superseded_by IS NULL),
  CONSTRAINT a_fact_does_not_supersede_itself CHECK (superseded_by IS DISTINCT FROM id)
);
-- Serves: list_active_facts, and proves that one key has one active row (SPEC F-3).
CREATE UNIQUE INDEX a_key_has_one_active_fact ON user_knowledge (user_id, knowledge_type, key_hash) WHERE is_active;
-- Serves: the timeline of a key, and when it was last closed.
CREATE INDEX versions_of_a_key ON user_knowledge (user_id, knowledge_type, key_hash, version);
-- Serves: find_owner(id), for URLs with a bare fact id and nothing else (D-10).
CREATE INDEX owner_of_a_fact ON user_knowledge (id);
-- Serves: claim_expired_facts_v1, the hourly job over all users (SPEC F-5).
CREATE INDEX facts_that_expire ON user_knowledge (expires_at) WHERE is_active AND expires_at IS NOT NULL;
-- Serves: which actions does a fact hang on? (the eraser of actions)
CREATE INDEX facts_of_an_action ON user_knowledge (user_id, action_id);
-- Serves: how many facts rest on versions of a rule, whose they are, and a rule's figures by version and day.
CREATE INDEX facts_of_a_rule ON user_knowledge (tenant_id, rule, rule_version, created_at) INCLUDE (is_active, user_id)
  WHERE rule IS NOT NULL;
-- Serves: the list of facts that a person is to keep or remove, over a tenant's users.
CREATE INDEX facts_that_are_hardly_believed ON user_knowledge (tenant_id, user_id) WHERE is_active AND confidence < 0.2;

CREATE TABLE memory_forget_batch (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  status varchar(16) NOT NULL,
  created_at timestamptz NOT NULL,
  done_at timestamptz,
  restored_at timestamptz,
  grace_until timestamptz,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_forget_is_planned_done_restored_or_finished CHECK (status IN ('planned', 'done', 'restored', 'finished')),
  CONSTRAINT a_done_forget_has_a_grace_period CHECK (status = 'planned' OR (done_at IS NOT NULL AND grace_until IS NOT NULL)),
  CONSTRAINT a_restored_forget_says_when CHECK ((status = 'restored') = (restored_at IS NOT NULL))
);
-- Serves: find_owner(id) for POST /v1/forgets/{batch_id}/restore.
CREATE INDEX owner_of_a_forget ON memory_forget_batch (id);
-- Serves: claim_overdue_forgets_v1, the job that ends grace periods.
CREATE INDEX forgets_in_grace ON memory_forget_batch (grace_until) WHERE status = 'done';

CREATE TABLE memory_forget_item (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  batch_id uuid NOT NULL,
  message_id uuid NOT NULL,
  part varchar(16) NOT NULL,
  sealed bytea,
  PRIMARY KEY (user_id, id),
  CONSTRAINT an_item_belongs_to_a_forget FOREIGN KEY (user_id, batch_id)
    REFERENCES memory_forget_batch (user_id, id) ON DELETE CASCADE,
  CONSTRAINT an_item_names_a_message FOREIGN KEY (user_id, message_id)
    REFERENCES memory_message (user_id, id) ON DELETE CASCADE,
  CONSTRAINT a_part_is_a_message_or_a_description CHECK (part IN ('message', 'description')),
  CONSTRAINT a_message_is_in_a_forget_once UNIQUE (user_id, batch_id, message_id, part)
);
-- Serves: which forget hid this message?
CREATE INDEX forgets_of_a_message ON memory_forget_item (user_id, message_id);

CREATE TABLE memory_tombstone (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  subject_hmac bytea NOT NULL,
  scope varchar(16) NOT NULL,
  conversation_id uuid,
  message_ids jsonb,
  said_from timestamptz,
  said_to timestamptz,
  erased_up_to timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  -- HMACs, in hex, of the conversation's or the messages' own ids of the tenant: what may not come back after a part
  -- erasure.
  refused_hmacs jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_scope_is_known CHECK (scope IN ('all', 'conversation', 'messages', 'range')),
  CONSTRAINT a_scope_says_what_it_covers CHECK (
    (scope = 'conversation') = (conversation_id IS NOT NULL)
    AND (scope = 'messages') = (message_ids IS NOT NULL)
    AND (scope = 'range') = (said_from IS NOT NULL OR said_to IS NOT NULL))
);
-- Serves: is this external id under a tombstone? (D-29)
CREATE INDEX tombstones_of_a_subject ON memory_tombstone (tenant_id, subject_hmac);

-- What people wrote does not go into the planner's statistics, where a sample of it would outlive the rows (SPEC G-3).
ALTER TABLE memory_message
  ALTER content SET STATISTICS 0, ALTER blocks SET STATISTICS 0, ALTER response_description SET STATISTICS 0,
  ALTER metadata SET STATISTICS 0, ALTER speaker SET STATISTICS 0, ALTER mood SET STATISTICS 0,
  ALTER client_id SET STATISTICS 0, ALTER content_hash SET STATISTICS 0;
ALTER TABLE memory_user ALTER external_id SET STATISTICS 0;
ALTER TABLE memory_conversation ALTER external_id SET STATISTICS 0;
ALTER TABLE user_knowledge ALTER sealed SET STATISTICS 0;
ALTER TABLE memory_action ALTER sealed SET STATISTICS 0;
ALTER TABLE memory_forget_item ALTER sealed SET STATISTICS 0;
