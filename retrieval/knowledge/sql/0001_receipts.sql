-- Purpose: the account of each answer of a corpus: ids, codes and numbers, no text (SPEC P-4). And two lists across tenants for workers.
CREATE TABLE knowledge_receipt (
  tenant_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  corpus_id bigint NOT NULL REFERENCES knowledge_corpus (id) ON DELETE CASCADE,
  user_id uuid REFERENCES memory_user (id),
  created_at timestamptz NOT NULL,
  intent varchar(80) NOT NULL DEFAULT '',
  tool varchar(8) NOT NULL,
  policy varchar(8) NOT NULL,
  plan_version integer NOT NULL,
  corpus_version bigint NOT NULL,
  is_found boolean NOT NULL,
  is_follow_up boolean NOT NULL,
  confidence real NOT NULL,
  outcome varchar(16) NOT NULL,
  fault varchar(24) NOT NULL DEFAULT '',
  reply_model varchar(120) NOT NULL DEFAULT '',
  language varchar(16) NOT NULL DEFAULT '',
  entity_ids bigint[] NOT NULL DEFAULT '{}',
  item_ids bigint[] NOT NULL DEFAULT '{}',
  chunk_ids bigint[] NOT NULL DEFAULT '{}',
  chunk_scores real[] NOT NULL DEFAULT '{}',
  steps text[] NOT NULL DEFAULT '{}',
  degraded_reasons text[] NOT NULL DEFAULT '{}',
  timings jsonb NOT NULL DEFAULT '{}',
  CONSTRAINT an_answer_is_of_the_graph_or_of_texts CHECK (tool IN ('graph', 'text')),
  CONSTRAINT a_policy_is_strict_boost_or_none CHECK (policy IN ('strict', 'boost', 'none')),
  CONSTRAINT an_answer_is_a_template_or_of_a_model CHECK (outcome IN ('template', 'model', 'repaired'))
);
-- Serves: the removal of old receipts.
CREATE INDEX knowledge_receipts_by_age ON knowledge_receipt (tenant_id, created_at);
-- Serves: the deletion of a corpus.
CREATE INDEX knowledge_receipts_of_a_corpus ON knowledge_receipt (corpus_id);
-- Serves: export and erasure of a user.
CREATE INDEX knowledge_receipts_of_a_user ON knowledge_receipt (user_id, id) WHERE user_id IS NOT NULL;

-- Large corpora whose newest snapshot is of an older version. The worker enters each tenant and builds it there.
CREATE FUNCTION list_stale_graphs_v1(p_smallest integer, p_limit integer)
RETURNS TABLE (tenant_id uuid, corpus_id bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT c.tenant_id, c.id FROM knowledge_corpus c
  WHERE c.mentions + c.edges > p_smallest
    AND NOT EXISTS (SELECT 1 FROM knowledge_snapshot s WHERE s.corpus_id = c.id AND s.version >= c.version)
  ORDER BY c.updated_at LIMIT p_limit
$$;

-- Tenants that have questions or receipts of corpora from before two moments.
CREATE FUNCTION list_tenants_with_old_questions_v1(p_turns_before timestamptz, p_receipts_before timestamptz)
RETURNS TABLE (tenant_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.id FROM tenant t
  WHERE EXISTS (SELECT 1 FROM ask_turn a WHERE a.tenant_id = t.id AND a.asked_at < p_turns_before)
     OR EXISTS (SELECT 1 FROM knowledge_receipt r WHERE r.tenant_id = t.id AND r.created_at < p_receipts_before)
$$;
