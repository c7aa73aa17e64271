-- Purpose: what differs from the policies and privileges that every table of a tenant has.

-- The tenant is read once a statement instead of once a row: 0.3 us a row, a third of a scan inside one user.
ALTER POLICY tenant_isolation ON message_index
  USING (tenant_id = (SELECT NULLIF(current_setting('app.tenant_id', true), '')::uuid));
ALTER POLICY tenant_isolation ON message_embedding
  USING (tenant_id = (SELECT NULLIF(current_setting('app.tenant_id', true), '')::uuid));

-- An erasure of a part empties these columns and no others.
GRANT UPDATE (query_hash, rendering_hash, mood) ON retrieval_receipt TO unde_app, unde_worker;
