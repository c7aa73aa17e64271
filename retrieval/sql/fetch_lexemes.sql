-- Purpose: the lexemes of some messages. Index: primary key of message_index.
SELECT i.message_id, i.lexemes || coalesce(i.more_lexemes, ''::bytea) FROM message_index i
WHERE i.user_id = %(user_id)s::uuid AND i.message_id = ANY(%(message_ids)s::uuid[])
