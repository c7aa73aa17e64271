-- Purpose: the indexes of 0008_build.sql take the place of the old ones: names alone, a table at a time, so that nobody who has
-- read one table and waits for the other is in the way. Each paragraph is one transaction.
-- Both can be run again after an attempt that was broken off.
ALTER TABLE message_index
  DROP CONSTRAINT IF EXISTS messages_of_a_user, DROP CONSTRAINT IF EXISTS a_place_in_a_conversation_is_indexed_once;
DROP INDEX IF EXISTS messages_of_a_user;
ALTER INDEX dense_messages_of_a_user RENAME TO messages_of_a_user;
ALTER TABLE message_index
  ADD CONSTRAINT a_place_in_a_conversation_is_indexed_once UNIQUE USING INDEX dense_place_in_a_conversation;

DROP INDEX IF EXISTS vectors_of_a_user;
ALTER INDEX dense_vectors_of_a_user RENAME TO vectors_of_a_user;
