-- Purpose: the way back from 0004_postings.
DROP TRIGGER postings_of_chunks_that_went ON knowledge_chunk;
DROP FUNCTION delete_postings_of_chunks();
DROP TRIGGER postings_that_changed ON knowledge_posting;
DROP TRIGGER postings_that_came ON knowledge_posting;
DROP FUNCTION check_chunks_of_postings();
ALTER TABLE knowledge_posting ADD CONSTRAINT a_posting_goes_with_its_chunk
  FOREIGN KEY (corpus_id, chunk_id) REFERENCES knowledge_chunk (corpus_id, id) ON DELETE CASCADE;
