-- Purpose: one receipt, without waiting for the disk: losing the latest ones in a crash loses no truth (D-21).
WITH relaxed AS (SELECT set_config('synchronous_commit', %(synchronous_commit)s::text, true) AS value)
INSERT INTO retrieval_receipt (tenant_id, user_id, id, kind, conversation_id, created_at, as_of, query_hash, rendering_hash,
  language, intent, max_tokens, mood, reply_model, tokenizer, ranking_version, policy_version, model_id, log_position, candidate_ids, candidate_scores, chosen_ids, chosen_scores,
  decision_reasons, guardrail_hits, span_ids, fact_ids, recent_ids, pending_ids, unproven_ids,
  degraded_reasons, stores, budget, timings, context_positions, fact_reasons, excerpt_ids, sanitised_ids,
  sanitiser_outcomes, context_window, has_layers, line_ids, episode_ids, chunk_ids,
  line_positions, line_reasons, line_episode_ids, left_out_line_ids, chunk_positions, left_out_chunk_ids, entity_kinds,
  entity_message_ids, entity_positions)
SELECT %(tenant_id)s::uuid, %(user_id)s::uuid, %(id)s::uuid, %(kind)s::text, %(conversation_id)s::uuid,
  %(created_at)s::timestamptz, %(as_of)s::timestamptz, %(query_hash)s::bytea, %(rendering_hash)s::bytea, %(language)s::text,
  %(intent)s::text, %(max_tokens)s::integer, %(mood)s::text, %(reply_model)s::text, %(tokenizer)s::text,
  %(ranking_version)s::integer, %(policy_version)s::text,
  (SELECT id FROM embedding_model WHERE name = %(model)s::text AND dimensions = %(dimensions)s::int),
  %(log_position)s::bigint, %(candidate_ids)s::text::uuid[], %(candidate_scores)s::text::real[], %(chosen_ids)s::text::uuid[],
  %(chosen_scores)s::text::real[], %(decision_reasons)s::text::text[], %(guardrail_hits)s::text::text[], %(span_ids)s::text::uuid[],
  %(fact_ids)s::text::uuid[], %(recent_ids)s::text::uuid[], %(pending_ids)s::text::uuid[], %(unproven_ids)s::text::uuid[],
  %(degraded_reasons)s::text::text[], %(stores)s::text::text[],
  %(budget)s::text::jsonb, %(timings)s::text::jsonb, %(context_positions)s::text::smallint[],
  %(fact_reasons)s::text::text[], %(excerpt_ids)s::text::uuid[], %(sanitised_ids)s::text::uuid[],
  %(sanitiser_outcomes)s::text::text[], %(context_window)s::integer,
  %(has_layers)s::boolean, %(line_ids)s::text::uuid[], %(episode_ids)s::text::uuid[],
  %(chunk_ids)s::text::bigint[], %(line_positions)s::text::smallint[], %(line_reasons)s::text::text[],
  %(line_episode_ids)s::text::uuid[], %(left_out_line_ids)s::text::uuid[], %(chunk_positions)s::text::smallint[],
  %(left_out_chunk_ids)s::text::bigint[], %(entity_kinds)s::text::text[], %(entity_message_ids)s::text::uuid[],
  %(entity_positions)s::text::smallint[]
FROM relaxed
