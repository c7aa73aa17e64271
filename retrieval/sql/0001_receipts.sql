-- Purpose: receipts of searches and packs: ids, codes and numbers, one partition a day.

CREATE TABLE retrieval_receipt (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  kind varchar(16) NOT NULL,
  conversation_id uuid,
  created_at timestamptz NOT NULL,
  as_of timestamptz,
  language varchar(16) NOT NULL DEFAULT '',
  intent varchar(40) NOT NULL DEFAULT '',
  policy_version varchar(80) NOT NULL,
  model_id smallint,
  log_position bigint NOT NULL DEFAULT 0,
  candidate_ids uuid[] NOT NULL DEFAULT '{}',
  candidate_scores real[] NOT NULL DEFAULT '{}',
  chosen_ids uuid[] NOT NULL DEFAULT '{}',
  chosen_scores real[] NOT NULL DEFAULT '{}',
  decision_reasons text[] NOT NULL DEFAULT '{}',
  guardrail_hits text[] NOT NULL DEFAULT '{}',
  span_ids uuid[] NOT NULL DEFAULT '{}',
  fact_ids uuid[] NOT NULL DEFAULT '{}',
  recent_ids uuid[] NOT NULL DEFAULT '{}',
  pending_ids uuid[] NOT NULL DEFAULT '{}',
  degraded_reasons text[] NOT NULL DEFAULT '{}',
  stores text[] NOT NULL DEFAULT '{}',
  budget jsonb NOT NULL DEFAULT '{}',
  timings jsonb NOT NULL DEFAULT '{}',
  -- What the pack showed as unverified or as a tentative item (SPEC P-4, X-7, D-25).
  unproven_ids uuid[] NOT NULL DEFAULT '{}',
  -- What a replay needs besides (SPEC P-4).
  max_tokens integer,
  mood varchar(40) NOT NULL DEFAULT '',
  reply_model varchar(100) NOT NULL DEFAULT '',
  tokenizer varchar(80) NOT NULL DEFAULT '',
  ranking_version integer NOT NULL DEFAULT 0,
  -- Of each part where it stood and why it was there, which words of the user came with it and what the sanitiser took out;
  -- and which window of the model bounded the budget (SPEC P-2, P-3, P-4, T-3).
  context_positions smallint[] NOT NULL DEFAULT '{}',
  fact_reasons text[] NOT NULL DEFAULT '{}',
  excerpt_ids uuid[] NOT NULL DEFAULT '{}',
  sanitised_ids uuid[] NOT NULL DEFAULT '{}',
  sanitiser_outcomes text[] NOT NULL DEFAULT '{}',
  context_window integer,
  -- Under the user's key (D-52).
  query_hash bytea,
  rendering_hash bytea,
  -- Which episodes took part in the pack, and of which messages it showed a sentence (SPEC P-4, L-3).
  has_layers boolean NOT NULL DEFAULT false,
  line_ids uuid[] NOT NULL DEFAULT '{}',
  episode_ids uuid[] NOT NULL DEFAULT '{}',
  -- Which chunks of knowledge were in the pack, in its order (SPEC P-4, N-5).
  chunk_ids bigint[] NOT NULL DEFAULT '{}',
  -- Of every line of a summary, passage of knowledge and entity where it stood and why it was there, and which had no room.
  line_positions smallint[] NOT NULL DEFAULT '{}',
  line_reasons text[] NOT NULL DEFAULT '{}',
  line_episode_ids uuid[] NOT NULL DEFAULT '{}',
  left_out_line_ids uuid[] NOT NULL DEFAULT '{}',
  chunk_positions smallint[] NOT NULL DEFAULT '{}',
  left_out_chunk_ids bigint[] NOT NULL DEFAULT '{}',
  entity_kinds text[] NOT NULL DEFAULT '{}',
  entity_message_ids uuid[] NOT NULL DEFAULT '{}',
  entity_positions smallint[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_receipt_is_of_a_search_or_a_context CHECK (kind IN ('search', 'context')),
  CONSTRAINT every_candidate_has_a_score CHECK (cardinality(candidate_ids) = cardinality(candidate_scores)),
  CONSTRAINT every_choice_has_a_score_and_a_reason CHECK (
    cardinality(chosen_ids) = cardinality(chosen_scores) AND cardinality(chosen_ids) = cardinality(decision_reasons)),
  -- Empty lists: receipts from before they were kept.
  CONSTRAINT every_choice_has_a_place_or_none CHECK (cardinality(context_positions) IN (0, cardinality(chosen_ids))),
  CONSTRAINT every_fact_has_a_reason CHECK (cardinality(fact_reasons) IN (0, cardinality(fact_ids))),
  CONSTRAINT what_was_sanitised_has_an_outcome CHECK (cardinality(sanitised_ids) = cardinality(sanitiser_outcomes)),
  CONSTRAINT every_line_has_a_place_and_a_reason CHECK (
    cardinality(line_positions) IN (0, cardinality(line_ids)) AND cardinality(line_reasons) = cardinality(line_positions)
    AND cardinality(line_episode_ids) = cardinality(line_positions)),
  CONSTRAINT every_chunk_has_a_place CHECK (cardinality(chunk_positions) IN (0, cardinality(chunk_ids))),
  CONSTRAINT every_entity_has_a_kind_a_message_and_a_place_or_none CHECK (
    cardinality(entity_message_ids) = cardinality(entity_kinds)
    AND cardinality(entity_positions) = cardinality(entity_kinds))
) PARTITION BY RANGE (id);
-- Serves: find_owner(id), for GET /v1/receipts/{id}; the id begins with the day, so one partition is read.
CREATE INDEX owner_of_a_receipt ON retrieval_receipt (id);
-- Serves: the receipts explorer and "which replies used this fact or message?" (newest first of one user).
CREATE INDEX receipts_of_a_user ON retrieval_receipt (user_id, created_at DESC);

CREATE TABLE retrieval_receipt_rest PARTITION OF retrieval_receipt DEFAULT;
-- No partition keeps samples of what a person wrote (SPEC G-3). Statistics of lists serve no plan, receipts are found by user
-- or id, and made ANALYZE of 30,000 receipts take 3.2 s instead of 0.2 (bench/results.md).
ALTER TABLE retrieval_receipt
  ALTER mood SET STATISTICS 0, ALTER reply_model SET STATISTICS 0, ALTER candidate_ids SET STATISTICS 0,
  ALTER candidate_scores SET STATISTICS 0, ALTER chosen_ids SET STATISTICS 0, ALTER chosen_scores SET STATISTICS 0,
  ALTER decision_reasons SET STATISTICS 0, ALTER guardrail_hits SET STATISTICS 0, ALTER span_ids SET STATISTICS 0,
  ALTER fact_ids SET STATISTICS 0, ALTER recent_ids SET STATISTICS 0, ALTER pending_ids SET STATISTICS 0,
  ALTER unproven_ids SET STATISTICS 0, ALTER degraded_reasons SET STATISTICS 0, ALTER stores SET STATISTICS 0,
  ALTER budget SET STATISTICS 0, ALTER timings SET STATISTICS 0, ALTER context_positions SET STATISTICS 0,
  ALTER fact_reasons SET STATISTICS 0, ALTER excerpt_ids SET STATISTICS 0, ALTER sanitised_ids SET STATISTICS 0,
  ALTER sanitiser_outcomes SET STATISTICS 0, ALTER query_hash SET STATISTICS 0, ALTER rendering_hash SET STATISTICS 0,
  ALTER line_ids SET STATISTICS 0, ALTER episode_ids SET STATISTICS 0, ALTER chunk_ids SET STATISTICS 0,
  ALTER line_positions SET STATISTICS 0, ALTER line_reasons SET STATISTICS 0, ALTER line_episode_ids SET STATISTICS 0,
  ALTER left_out_line_ids SET STATISTICS 0, ALTER chunk_positions SET STATISTICS 0,
  ALTER left_out_chunk_ids SET STATISTICS 0, ALTER entity_kinds SET STATISTICS 0,
  ALTER entity_message_ids SET STATISTICS 0, ALTER entity_positions SET STATISTICS 0;
