-- Purpose: the indexes and policies as they were before 0003_places.sql.
ALTER POLICY tenant_isolation ON message_index
  USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid);
ALTER POLICY tenant_isolation ON message_embedding
  USING (tenant_id = NULLIF(current_setting('app.tenant_id', true), '')::uuid);
DROP INDEX vectors_of_a_user;
CREATE INDEX vectors_of_a_user ON message_embedding (user_id, model_id, message_id) INCLUDE (embedding)
  WHERE dimensions <= 1300;
DROP INDEX places_of_a_user;
