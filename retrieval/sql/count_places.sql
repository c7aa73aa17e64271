-- Purpose: how many indexed messages of one user pass the filters. Index: places_of_a_user alone.
SELECT count(*) FROM message_index i WHERE i.user_id = %(user_id)s::uuid AND /*scope*/
