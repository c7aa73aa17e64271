-- Purpose: the way back from 0005_statistics.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['document', 'entity', 'record', 'chunk', 'posting', 'alias', 'alias_key', 'mention', 'edge', 'title'] LOOP
    EXECUTE format('ALTER TABLE %I ALTER corpus_id SET STATISTICS DEFAULT', 'knowledge_' || name);
  END LOOP;
END $$;
