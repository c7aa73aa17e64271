-- Purpose: after rows left the index, give the sessions they were in their neighbours anew (D-28).
-- The next neighbour comes last, as when it arrived last. Index: a_place_in_a_conversation_is_indexed_once.
WITH linked AS (
  SELECT i.message_id, lag(i.head) OVER session AS previous, lag(i.head, 2) OVER session AS before_previous,
         lead(i.head) OVER session AS next
  FROM message_index i
  JOIN unnest(%(conversation_ids)s::uuid[], %(session_nos)s::int[]) AS s (conversation_id, session_no)
    ON i.conversation_id = s.conversation_id AND i.session_no = s.session_no
  WHERE i.user_id = %(user_id)s::uuid
  WINDOW session AS (PARTITION BY i.conversation_id, i.session_no ORDER BY i.seq))
UPDATE message_index i
SET tsv = ts_filter(i.tsv, '{a}') || setweight(coalesce(l.previous, ''), 'B')
            || setweight(coalesce(l.before_previous, ''), 'D') || setweight(coalesce(l.next, ''), 'C')
FROM linked l WHERE i.user_id = %(user_id)s::uuid AND i.message_id = l.message_id
