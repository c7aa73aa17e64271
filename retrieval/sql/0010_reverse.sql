-- Purpose: take back 0010_checked_together.sql; every row is proved on the way.
ALTER TABLE message_index ALTER CONSTRAINT an_index_row_belongs_to_a_message ENFORCED;
ALTER TABLE message_embedding ALTER CONSTRAINT a_vector_belongs_to_an_indexed_message ENFORCED;
ALTER TABLE message_embedding ALTER CONSTRAINT message_embedding_model_id_fkey ENFORCED;
DROP TRIGGER check_index_rows ON message_index;
DROP TRIGGER check_vectors ON message_embedding;
DROP TRIGGER remove_index_row ON memory_message;
DROP TRIGGER remove_vectors ON message_index;
DROP TRIGGER keep_key ON message_index;
DROP TRIGGER keep_key ON message_embedding;
DROP TRIGGER keep_key ON embedding_model;
DROP TRIGGER keep_model ON embedding_model;
DROP FUNCTION check_index_rows_v1, check_vectors_v1, remove_index_row_v1, remove_vectors_v1, keep_key_v1;
