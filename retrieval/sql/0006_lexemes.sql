-- Purpose: a message is indexed by its own lexemes alone; those of neighbours are added up in a search, so that nothing of a
-- message is anywhere but in its row. Six bytes a lexeme (patterns/text/lexemes.py) instead of a tsvector: a fifth of the room.
ALTER TABLE message_index ADD lexemes bytea, ADD more_lexemes bytea;

-- What is indexed already: counts of the message's own occurrences (weight A) and of those it lends, at most 8 each.
UPDATE message_index i SET (lexemes, more_lexemes) = (
  SELECT coalesce(substr(packed, 1, 1920), ''), nullif(substr(packed, 1921), '') FROM (
    SELECT string_agg(substr(sha256(convert_to(coalesce(own.lexeme, lent.lexeme), 'UTF8')), 1, 5)
             || set_byte('\x00', 0, 16 * least(8, coalesce(cardinality(own.positions), 0))
                                    + least(8, coalesce(cardinality(lent.positions), 0))), ''::bytea) AS packed
    FROM unnest(ts_filter(i.tsv, '{a}')) AS own
    FULL JOIN unnest(i.head) AS lent ON lent.lexeme = own.lexeme) entries),
  speaker = regexp_replace(i.speaker, '\s+', ' ', 'g');

DROP INDEX places_of_a_user;
ALTER TABLE message_index
  DROP CONSTRAINT a_place_in_a_conversation_is_indexed_once,
  DROP tsv,
  DROP head,
  ALTER lexemes SET NOT NULL,
  -- As retrieval/search/columns.py reads it. Roles and types by their numbers there.
  ADD place bytea NOT NULL GENERATED ALWAYS AS (
    uuid_send(message_id) || uuid_send(conversation_id) || int4send(seq) || int4send(session_no) || int4send(len)
    || timestamptz_send(created_at) || timestamptz_send(received_at) || int2send(traits)
    || int2send((octet_length(lexemes) / 6)::smallint)
    || int2send(array_position(ARRAY['user', 'assistant'], role::text)::smallint)
    || int2send(array_position(ARRAY['chat', 'fact', 'event', 'emotion', 'preference'], memory_type::text)::smallint)) STORED,
  ADD CONSTRAINT lexemes_fit_an_index_entry CHECK (octet_length(lexemes) <= 1920 AND octet_length(lexemes) % 6 = 0),
  ADD CONSTRAINT more_lexemes_follow_a_full_row CHECK (
    more_lexemes IS NULL OR octet_length(lexemes) = 1920 AND octet_length(more_lexemes) % 6 = 0),
  -- Hashes do not compress; no sample of what people wrote goes into the planner's statistics (SPEC G-3).
  ALTER lexemes SET STORAGE EXTERNAL, ALTER more_lexemes SET STORAGE EXTERNAL, ALTER place SET STORAGE PLAIN,
  ALTER lexemes SET STATISTICS 0, ALTER more_lexemes SET STATISTICS 0, ALTER place SET STATISTICS 0;
-- Serves: read_index.sql, which it answers alone: the rows of a user side by side, in order. It holds the tenant for row-level
-- security's sake. Also the latest rows of a conversation, and the proof that a place is taken once.
ALTER TABLE message_index ADD CONSTRAINT messages_of_a_user
  UNIQUE (user_id, conversation_id, seq) INCLUDE (tenant_id, place, lexemes, speaker);
-- Serves: read_index.sql.
CREATE INDEX long_messages_of_a_user ON message_index (user_id) WHERE more_lexemes IS NOT NULL;
