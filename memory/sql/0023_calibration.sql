-- Purpose: adjustments of confidence and merged items are actions; what was merged, denied or kept apart is a state (P-9, X-7).
ALTER TABLE memory_action DROP CONSTRAINT an_action_is_of_a_known_kind;
ALTER TABLE memory_action ADD CONSTRAINT an_action_is_of_a_known_kind CHECK (kind IN (
    'instant', 'correction', 'onboarding', 'explicit', 'confirm', 'dispute', 'retract', 'edit', 'forget', 'restore',
    'expire', 'extraction', 'verdict', 'withdraw', 'close', 'anchor', 'calibrate', 'merge', 'part'));
-- Proves that a night adjusts a fact once; serves the last adjustment of a fact and what was decided about it.
CREATE UNIQUE INDEX a_fact_is_calibrated_once_a_night ON memory_action (user_id, (detail ->> 'fact_id'), (detail ->> 'night'))
  WHERE kind = 'calibrate' AND detail ? 'night';
CREATE INDEX calibrations_of_a_fact ON memory_action (user_id, (detail ->> 'fact_id'), position) WHERE kind = 'calibrate';
-- Serves: the list of facts that a person is to keep or remove, over a tenant's users.
CREATE INDEX facts_that_are_hardly_believed ON user_knowledge (tenant_id, user_id) WHERE is_active AND confidence < 0.2;

ALTER TABLE adaptive_item
  ADD COLUMN merged_into uuid,
  ADD COLUMN is_apart boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT an_item_has_a_known_status,
  ADD CONSTRAINT an_item_has_a_known_status CHECK (
    status IN ('waiting', 'active', 'outdated', 'replaced', 'dropped', 'forgotten', 'dismissed', 'merged', 'denied')),
  DROP CONSTRAINT an_item_is_an_observation,
  ADD CONSTRAINT an_item_is_an_observation_or_made_of_several CHECK (provenance IN ('observation', 'analysis')),
  ADD CONSTRAINT only_a_merged_item_names_what_took_its_place CHECK (status = 'merged' OR merged_into IS NULL),
  ADD CONSTRAINT the_merging_of_an_item_stays_with_its_user FOREIGN KEY (user_id, merged_into)
    REFERENCES adaptive_item (user_id, id) ON DELETE SET NULL (merged_into) DEFERRABLE INITIALLY DEFERRED;
-- Serves: the members of a merged item. Also the foreign key.
CREATE INDEX items_merged_into_one ON adaptive_item (user_id, merged_into) WHERE merged_into IS NOT NULL;
-- Serves: users with enough items to compare at night.
CREATE INDEX items_to_compare ON adaptive_item (tenant_id, user_id) WHERE status = 'active' AND NOT is_apart;
