-- Purpose: postings are written beside their chunks again, checked against them, and found by them.
DROP TRIGGER terms_that_changed ON knowledge_chunk;
DROP TRIGGER postings_that_came ON knowledge_posting;
DROP TRIGGER postings_of_chunks_that_came ON knowledge_chunk;
DROP FUNCTION refuse_postings_without_chunks;
DROP FUNCTION write_postings_of_chunks;
ALTER TABLE knowledge_chunk DROP COLUMN terms, DROP COLUMN counts;
CREATE INDEX postings_of_a_chunk ON knowledge_posting (corpus_id, chunk_id);

CREATE OR REPLACE FUNCTION delete_postings_of_chunks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM knowledge_posting p USING gone g WHERE p.corpus_id = g.corpus_id AND p.chunk_id = g.id;
  RETURN NULL;
END $$;
CREATE FUNCTION check_chunks_of_postings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM (SELECT DISTINCT corpus_id, chunk_id FROM changed) n
    WHERE NOT EXISTS (SELECT FROM knowledge_chunk c WHERE c.corpus_id = n.corpus_id AND c.id = n.chunk_id)
  ) THEN
    RAISE foreign_key_violation USING MESSAGE = 'a posting goes with its chunk', CONSTRAINT = 'a_posting_goes_with_its_chunk';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER postings_that_came AFTER INSERT ON knowledge_posting REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
  EXECUTE FUNCTION check_chunks_of_postings();
CREATE TRIGGER postings_that_changed AFTER UPDATE ON knowledge_posting REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
  EXECUTE FUNCTION check_chunks_of_postings();
