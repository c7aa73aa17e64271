-- Purpose: all that a search reads of a user's messages, in one row: whose they are and of which conversation, places, lexemes, names,
-- the lexemes of long messages that do not fit the index, and the dot products of the user's vectors with the question. The caller
-- puts them in order, matches, counts and adds up neighbours (retrieval/search/columns.py, matching.py, smoothing.py): exact, and quicker than
-- a row at a time. Dot products are packed as read_dots.sql packs them; for users with more than `most` messages the caller reads them by
-- that, under a time limit. `owner` is a subquery of the caller's: one that is not pulled up keeps the plan from being made anew each time.
-- Indexes alone: messages_of_a_user, which has the rows of a user side by side, in the order of the table; long_messages_of_a_user;
-- vectors_of_a_user, under `dimensions <= 1300`. The vector is a subquery so that a prepared statement reads it once, not once a row.
SELECT u.id, u.conversation_id, u.silence, i.places, i.lexemes, i.speakers,
       (SELECT string_agg(uuid_send(l.message_id) || int4send(octet_length(l.more_lexemes)) || l.more_lexemes, ''::bytea)
        FROM message_index l WHERE l.user_id = u.id AND l.more_lexemes IS NOT NULL),
       CASE WHEN %(vector)s::halfvec IS NOT NULL AND i.count <= %(most)s::int THEN (
         SELECT string_agg(
           uuid_send(e.message_id) || float4send((-(e.embedding <#> (SELECT %(vector)s::halfvec)))::float4), ''::bytea)
         FROM message_embedding e
         WHERE e.user_id = u.id AND e.dimensions <= 1300
           AND e.model_id = (SELECT id FROM embedding_model WHERE name = %(model)s::text AND dimensions = %(dimensions)s::int)) END
FROM (owner) u
CROSS JOIN LATERAL (
  SELECT count(*) AS count, string_agg(m.place, ''::bytea) AS places, string_agg(m.lexemes, ''::bytea) AS lexemes,
         string_agg(m.speaker, E'\n') AS speakers
  FROM message_index m WHERE m.user_id = u.id) i
