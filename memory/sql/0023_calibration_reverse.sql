DROP INDEX items_to_compare;
UPDATE adaptive_item SET status = 'replaced', merged_into = NULL WHERE status = 'merged';
UPDATE adaptive_item SET status = 'dropped' WHERE status = 'denied';
UPDATE adaptive_item SET provenance = 'observation';
ALTER TABLE adaptive_item
  DROP COLUMN merged_into,
  DROP COLUMN is_apart,
  DROP CONSTRAINT an_item_has_a_known_status,
  ADD CONSTRAINT an_item_has_a_known_status CHECK (
    status IN ('waiting', 'active', 'outdated', 'replaced', 'dropped', 'forgotten', 'dismissed')),
  DROP CONSTRAINT an_item_is_an_observation_or_made_of_several,
  ADD CONSTRAINT an_item_is_an_observation CHECK (provenance = 'observation');
DROP INDEX facts_that_are_hardly_believed;
DROP INDEX calibrations_of_a_fact;
DROP INDEX a_fact_is_calibrated_once_a_night;
DELETE FROM memory_action WHERE kind IN ('calibrate', 'merge', 'part');
ALTER TABLE memory_action DROP CONSTRAINT an_action_is_of_a_known_kind;
ALTER TABLE memory_action ADD CONSTRAINT an_action_is_of_a_known_kind CHECK (kind IN (
    'instant', 'correction', 'onboarding', 'explicit', 'confirm', 'dispute', 'retract', 'edit', 'forget', 'restore',
    'expire', 'extraction', 'verdict', 'withdraw', 'close', 'anchor'));
