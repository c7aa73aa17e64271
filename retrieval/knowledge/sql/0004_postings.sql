-- Purpose: postings are checked against their chunks once a statement. A foreign key looks each of them up by itself,
-- which was a third of what an ingest cost.
ALTER TABLE knowledge_posting DROP CONSTRAINT a_posting_goes_with_its_chunk;

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

CREATE FUNCTION delete_postings_of_chunks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM knowledge_posting p USING gone g WHERE p.corpus_id = g.corpus_id AND p.chunk_id = g.id;
  RETURN NULL;
END $$;
CREATE TRIGGER postings_of_chunks_that_went AFTER DELETE ON knowledge_chunk REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
  EXECUTE FUNCTION delete_postings_of_chunks();
