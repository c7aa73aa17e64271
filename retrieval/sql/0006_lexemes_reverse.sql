-- Purpose: 0006_lexemes taken back. Words cannot be made from hashes: `manage.py rebuild` fills the columns again.
ALTER TABLE message_index
  DROP CONSTRAINT messages_of_a_user,
  DROP CONSTRAINT more_lexemes_follow_a_full_row,
  DROP CONSTRAINT lexemes_fit_an_index_entry,
  DROP place,
  DROP more_lexemes,
  DROP lexemes,
  ADD head tsvector NOT NULL DEFAULT '',
  ADD tsv tsvector NOT NULL DEFAULT '',
  ADD CONSTRAINT a_place_in_a_conversation_is_indexed_once UNIQUE (user_id, conversation_id, seq);
ALTER TABLE message_index
  ALTER head DROP DEFAULT, ALTER tsv DROP DEFAULT,
  ALTER head SET STORAGE EXTERNAL, ALTER tsv SET STORAGE EXTERNAL,
  ALTER head SET STATISTICS 0, ALTER tsv SET STATISTICS 0;
CREATE INDEX places_of_a_user ON message_index (user_id, message_id)
  INCLUDE (tenant_id, conversation_id, seq, session_no, role, memory_type, created_at, received_at);
