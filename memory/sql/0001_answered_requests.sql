-- Purpose: answers to writes that carried an Idempotency-Key, so that the same request again is answered and not repeated.

CREATE TABLE answered_request (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  key_digest bytea NOT NULL,
  request_digest bytea NOT NULL,
  status smallint NOT NULL,
  sealed bytea,
  message_ids uuid[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  -- Serves the look-up: the caller's key is known before the user is.
  CONSTRAINT a_key_of_a_tenant_is_answered_once UNIQUE (tenant_id, key_digest),
  CONSTRAINT only_what_was_done_is_answered_again CHECK (status BETWEEN 200 AND 299),
  CONSTRAINT an_answer_is_kept_for_a_while CHECK (expires_at > created_at),
  CONSTRAINT digests_are_whole CHECK (length(key_digest) = 32 AND length(request_digest) = 32)
);
ALTER TABLE answered_request ALTER sealed SET STATISTICS 0;
ALTER TABLE answered_request ALTER key_digest SET STATISTICS 0;
ALTER TABLE answered_request ALTER request_digest SET STATISTICS 0;
-- Serves: claim_expired_answers_v1.
CREATE INDEX answers_that_expire ON answered_request (expires_at);

-- The same key at the same time: the second waits for the first, two seconds like the user's lock. Taken before that one.
CREATE FUNCTION lock_request_v1(locked_digest bytea) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(encode(locked_digest, 'hex'), 20261125))
$$;

-- Users with answers whose time is up. Index: answers_that_expire.
CREATE FUNCTION claim_expired_answers_v1(due_at timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT k.tenant_id, k.user_id FROM (
    SELECT a.tenant_id, a.user_id FROM answered_request a WHERE a.expires_at <= due_at
     ORDER BY a.expires_at LIMIT at_most) k
$$;
