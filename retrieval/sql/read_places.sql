-- Purpose: everything that search reads of a user's messages, in one row: places, lexemes, names, and the lexemes of long messages
-- that do not fit the index. The caller matches and counts (retrieval/matching.py): exact, and quicker than a row at a time.
-- Indexes alone: messages_of_a_user, which has the rows of a user side by side and in this order; long_messages_of_a_user.
SELECT string_agg(i.place, ''::bytea), string_agg(i.lexemes, ''::bytea), string_agg(i.speaker, E'\n'),
       (SELECT string_agg(uuid_send(l.message_id) || int4send(octet_length(l.more_lexemes)) || l.more_lexemes, ''::bytea)
        FROM message_index l WHERE l.user_id = %(user_id)s::uuid AND l.more_lexemes IS NOT NULL)
FROM (SELECT m.place, m.lexemes, m.speaker FROM message_index m
      WHERE m.user_id = %(user_id)s::uuid ORDER BY m.conversation_id, m.seq) i
