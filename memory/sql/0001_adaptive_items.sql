-- Purpose: preferences and habits of users whose tenant has the adaptive policy on; never facts (SPEC X-7, T-4, D-5).

CREATE TABLE adaptive_item (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  item_type varchar(20) NOT NULL,
  status varchar(16) NOT NULL,
  key_hash bytea NOT NULL,
  sealed bytea NOT NULL,
  confidence double precision NOT NULL,
  provenance varchar(20) NOT NULL DEFAULT 'observation',
  language varchar(16) NOT NULL DEFAULT '',
  evidence_message_ids uuid[] NOT NULL,
  run_id uuid NOT NULL,
  first_said_at timestamptz NOT NULL,
  last_said_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  merged_into uuid,
  is_apart boolean NOT NULL DEFAULT false,
  PRIMARY KEY (user_id, id),
  CONSTRAINT an_item_is_a_preference_or_a_behaviour CHECK (item_type IN ('preference', 'behaviour_pattern')),
  CONSTRAINT an_item_has_a_known_status CHECK (
    status IN ('waiting', 'active', 'outdated', 'replaced', 'dropped', 'forgotten', 'dismissed', 'merged', 'denied')),
  CONSTRAINT an_item_has_evidence CHECK (cardinality(evidence_message_ids) > 0),
  CONSTRAINT an_item_is_an_observation_or_made_of_several CHECK (provenance IN ('observation', 'analysis')),
  CONSTRAINT only_a_merged_item_names_what_took_its_place CHECK (status = 'merged' OR merged_into IS NULL),
  CONSTRAINT the_merging_of_an_item_stays_with_its_user FOREIGN KEY (user_id, merged_into)
    REFERENCES adaptive_item (user_id, id) ON DELETE SET NULL (merged_into) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT an_item_is_never_sure CHECK (
    confidence > 0 AND confidence <= CASE item_type WHEN 'preference' THEN 0.5 ELSE 0.6 END)
);
ALTER TABLE adaptive_item ALTER sealed SET STATISTICS 0;
-- Proves that a key has one item; serves the look-up when it is said again.
CREATE UNIQUE INDEX an_item_is_held_once ON adaptive_item (user_id, item_type, key_hash) WHERE status IN ('waiting', 'active');
-- Serves: claim_expired_items_v1.
CREATE INDEX items_that_expire ON adaptive_item (expires_at) WHERE status IN ('waiting', 'active');
-- Serves: the members of a merged item. Also the foreign key.
CREATE INDEX items_merged_into_one ON adaptive_item (user_id, merged_into) WHERE merged_into IS NOT NULL;
-- Serves: users with enough items to compare at night.
CREATE INDEX items_to_compare ON adaptive_item (tenant_id, user_id) WHERE status = 'active' AND NOT is_apart;

-- Users with items that nobody has said again for too long. Index: items_that_expire.
CREATE FUNCTION claim_expired_items_v1(due_at timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT k.tenant_id, k.user_id FROM (
    SELECT i.tenant_id, i.user_id FROM adaptive_item i WHERE i.status IN ('waiting', 'active') AND i.expires_at <= due_at
     ORDER BY i.expires_at LIMIT at_most) k
$$;
