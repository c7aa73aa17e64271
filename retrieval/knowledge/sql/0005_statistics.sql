-- Purpose: the planner has no statistics of corpora. With them it takes a corpus that came after the last ANALYZE for one row,
-- and any index that begins with the corpus for as good as the one that also has the entity: a large ingest then reads the whole
-- corpus once for each of its rows. Without them every corpus is a two-hundredth of its table.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['document', 'entity', 'record', 'chunk', 'posting', 'alias', 'alias_key', 'mention', 'edge', 'title'] LOOP
    EXECUTE format('ALTER TABLE %I ALTER corpus_id SET STATISTICS 0', 'knowledge_' || name);
    PERFORM pg_clear_attribute_stats('public', 'knowledge_' || name, 'corpus_id', false);
  END LOOP;
END $$;
