-- Purpose: a request for a new secret that is sent again gets the same secret. Were it changed twice, the one that a
-- receiver has would be two changes old, and sign nothing any more (SPEC A-1).
ALTER TABLE webhook_endpoint
  ADD COLUMN rotation_digest bytea,
  ADD CONSTRAINT a_rotation_is_known_by_a_whole_digest CHECK (length(rotation_digest) = 32);
