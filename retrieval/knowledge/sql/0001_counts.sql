-- Purpose: the counts of a corpus are those of its rows, whichever way rows come and go.
CREATE FUNCTION count_knowledge_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    EXECUTE format('UPDATE knowledge_corpus c SET %1$I = c.%1$I + n.rows FROM
      (SELECT corpus_id, count(*) AS rows FROM changed GROUP BY corpus_id) n WHERE c.id = n.corpus_id', TG_ARGV[0]);
  ELSE
    EXECUTE format('UPDATE knowledge_corpus c SET %1$I = c.%1$I - n.rows FROM
      (SELECT corpus_id, count(*) AS rows FROM changed GROUP BY corpus_id) n WHERE c.id = n.corpus_id', TG_ARGV[0]);
  END IF;
  RETURN NULL;
END $$;
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['document', 'record', 'chunk', 'entity', 'alias', 'mention', 'edge'] LOOP
    EXECUTE format('CREATE TRIGGER rows_that_came AFTER INSERT ON %I REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
      EXECUTE FUNCTION count_knowledge_rows(%L)', 'knowledge_' || name,
      CASE name WHEN 'entity' THEN 'entities' WHEN 'alias' THEN 'aliases' ELSE name || 's' END);
    EXECUTE format('CREATE TRIGGER rows_that_went AFTER DELETE ON %I REFERENCING OLD TABLE AS changed FOR EACH STATEMENT
      EXECUTE FUNCTION count_knowledge_rows(%L)', 'knowledge_' || name,
      CASE name WHEN 'entity' THEN 'entities' WHEN 'alias' THEN 'aliases' ELSE name || 's' END);
  END LOOP;
END $$;
