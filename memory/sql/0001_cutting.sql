-- Purpose: which conversations have messages that are not cut into episodes yet (D-44).

-- Conversations with uncut messages, each given out once: it comes again when the lease is over and it is not cut. One that is still
-- going on (`is_open`) is put off until its session could be over. Index: conversations_to_cut.
CREATE FUNCTION claim_uncut_conversations_v1(claimed_at timestamptz, lease interval, session_gap interval, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, conversation_id uuid, is_open boolean)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH due AS (
    SELECT c.user_id, c.id, coalesce(c.last_message_at, '-infinity') + session_gap AS over_at
      FROM memory_conversation c WHERE c.cut_due_at <= claimed_at
     ORDER BY c.cut_due_at LIMIT at_most FOR UPDATE SKIP LOCKED),
  moved AS (
    UPDATE memory_conversation c SET cut_due_at = greatest(due.over_at, claimed_at + lease) FROM due
     WHERE c.user_id = due.user_id AND c.id = due.id
    RETURNING c.tenant_id, c.user_id, c.id, due.over_at > claimed_at AS is_open)
  SELECT m.tenant_id, m.user_id, m.id, m.is_open FROM moved m JOIN memory_user u ON u.id = m.user_id AND u.fenced_at IS NULL
$$;

-- How many conversations have messages that are not cut, over all tenants, and since when the first waits. Index: conversations_to_cut.
CREATE FUNCTION count_uncut_conversations_v1(counted_at timestamptz) RETURNS TABLE (conversations bigint, waits_since timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*), min(c.cut_due_at) FROM memory_conversation c WHERE c.cut_due_at <= counted_at
$$;
