-- Purpose: 0008_dense taken back, second part: names alone.
ALTER TABLE message_index
  DROP CONSTRAINT IF EXISTS messages_of_a_user, DROP CONSTRAINT IF EXISTS a_place_in_a_conversation_is_indexed_once;
DROP INDEX IF EXISTS messages_of_a_user;
ALTER TABLE message_index ADD CONSTRAINT messages_of_a_user UNIQUE USING INDEX old_messages_of_a_user;

DROP INDEX IF EXISTS vectors_of_a_user;
ALTER INDEX old_vectors_of_a_user RENAME TO vectors_of_a_user;
