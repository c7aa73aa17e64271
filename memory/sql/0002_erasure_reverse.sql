-- Purpose: take back 0002_erasure.sql (development only: the record of erasures goes with it).
DROP TABLE IF EXISTS storage_rewrite, erasure_certificate, erasure_item, erasure_event, erasure_request CASCADE;
DROP TRIGGER IF EXISTS keep_the_proof ON memory_tombstone;
CREATE OR REPLACE TRIGGER keep_messages_unless_erased BEFORE DELETE ON memory_message
  FOR EACH ROW EXECUTE FUNCTION keep_messages_unless_erased_v1();
CREATE OR REPLACE TRIGGER keep_actions BEFORE UPDATE OR DELETE ON memory_action
  FOR EACH ROW EXECUTE FUNCTION keep_actions_v1();
DROP INDEX IF EXISTS facts_of_an_action;
DROP FUNCTION IF EXISTS an_erasure_moves_forward_v1, keep_the_proof_v1, keep_messages_unless_erased_v2, keep_actions_v2,
  enter_user_v2, claim_erasures_v1, claim_erasure_alerts_v1, claim_erasures_to_recheck_v1, count_open_erasures_v1;
ALTER TABLE memory_tombstone DROP COLUMN IF EXISTS refused_hmacs;
ALTER TABLE memory_user DROP COLUMN IF EXISTS has_tombstones;
