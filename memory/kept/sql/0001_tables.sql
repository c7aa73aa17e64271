-- Purpose: JSON documents that an app keeps for a user at a namespace path; older versions stay for a while beside the newest.

CREATE TABLE kept_item (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  path_hash bytea NOT NULL,
  prefix_hashes bytea[] NOT NULL,
  version integer NOT NULL,
  sealed bytea NOT NULL,
  sealed_search bytea,
  ttl_seconds integer,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  expires_at timestamptz,
  replaced_at timestamptz,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_path_has_each_version_once UNIQUE (user_id, path_hash, version),
  CONSTRAINT hashes_of_paths_are_whole CHECK (length(path_hash) = 32),
  CONSTRAINT versions_count_from_one CHECK (version >= 1),
  CONSTRAINT an_item_with_a_lifetime_expires CHECK ((ttl_seconds IS NULL) = (expires_at IS NULL) AND ttl_seconds > 0),
  CONSTRAINT an_item_is_updated_after_it_was_made CHECK (updated_at >= created_at)
);
-- Serves: the newest version of a path; the items of a user, newest first. One of each path is current.
CREATE UNIQUE INDEX a_path_has_one_current_item ON kept_item (user_id, path_hash) WHERE replaced_at IS NULL;
-- Serves: claim_expired_kept_items_v1.
CREATE INDEX kept_items_that_expire ON kept_item (expires_at) WHERE expires_at IS NOT NULL;
ALTER TABLE kept_item ALTER sealed SET STATISTICS 0;
ALTER TABLE kept_item ALTER sealed_search SET STATISTICS 0;
ALTER TABLE kept_item ALTER path_hash SET STATISTICS 0;
ALTER TABLE kept_item ALTER prefix_hashes SET STATISTICS 0;

-- Users with items whose time is up. Index: kept_items_that_expire.
CREATE FUNCTION claim_expired_kept_items_v1(due_at timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT k.tenant_id, k.user_id FROM (
    SELECT i.tenant_id, i.user_id FROM kept_item i WHERE i.expires_at <= due_at
     ORDER BY i.expires_at LIMIT at_most) k
$$;
