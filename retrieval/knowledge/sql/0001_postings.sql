-- Purpose: the postings of a chunk come and go with it. So they need no check against their chunks and no index by chunk, which
-- served the deletion of chunks alone and was half of what writing postings cost.

-- In the order of the key, which is then written from left to right.
CREATE FUNCTION write_postings_of_chunks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO knowledge_posting (tenant_id, corpus_id, term, chunk_id, count)
  SELECT c.tenant_id, c.corpus_id, t.term, c.id, t.count FROM changed c CROSS JOIN LATERAL unnest(c.terms, c.counts) t (term, count)
  ORDER BY c.corpus_id, t.term, c.id;
  RETURN NULL;
END $$;
CREATE TRIGGER postings_of_chunks_that_came AFTER INSERT ON knowledge_chunk REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
  EXECUTE FUNCTION write_postings_of_chunks();

-- Only by the key: any other way to join them reads the postings of all corpora.
CREATE FUNCTION delete_postings_of_chunks() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  DELETE FROM knowledge_posting p USING gone g CROSS JOIN LATERAL unnest(g.terms) t (term)
  WHERE p.corpus_id = g.corpus_id AND p.term = t.term AND p.chunk_id = g.id;
  RETURN NULL;
END $$;
CREATE TRIGGER postings_of_chunks_that_went AFTER DELETE ON knowledge_chunk REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
  EXECUTE FUNCTION delete_postings_of_chunks();

CREATE FUNCTION refuse_postings_without_chunks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE foreign_key_violation USING MESSAGE = 'a posting goes with its chunk', CONSTRAINT = 'a_posting_goes_with_its_chunk';
END $$;
CREATE TRIGGER postings_that_came BEFORE INSERT OR UPDATE ON knowledge_posting FOR EACH STATEMENT WHEN (pg_trigger_depth() < 1)
  EXECUTE FUNCTION refuse_postings_without_chunks();
CREATE TRIGGER terms_that_changed BEFORE UPDATE OF id, corpus_id, terms, counts ON knowledge_chunk FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_postings_without_chunks();
