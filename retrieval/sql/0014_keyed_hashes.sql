-- Purpose: hashes in receipts are under the user's key (D-52). Those made before were not, and what they are of is kept
-- nowhere, so they go. A column is dropped rather than emptied: that takes no time however many receipts there are, and
-- the next rewrite of the table leaves its bytes out.
ALTER TABLE retrieval_receipt DROP COLUMN query_hash, DROP COLUMN rendering_hash;
ALTER TABLE retrieval_receipt ADD COLUMN query_hash bytea, ADD COLUMN rendering_hash bytea;
ALTER TABLE retrieval_receipt ALTER query_hash SET STATISTICS 0, ALTER rendering_hash SET STATISTICS 0;

-- A partition does not take over from its parent which columns have no statistics.
DO $$
DECLARE
  part regclass;
BEGIN
  FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'retrieval_receipt'::regclass LOOP
    EXECUTE format('ALTER TABLE %s ALTER query_hash SET STATISTICS 0, ALTER rendering_hash SET STATISTICS 0', part);
  END LOOP;
END $$;

-- An erasure of a part empties these columns and no others.
GRANT UPDATE (query_hash, rendering_hash, mood) ON retrieval_receipt TO unde_app, unde_worker;
