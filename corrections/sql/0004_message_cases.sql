-- Purpose: judged items retold as test cases of single messages (SPEC X-4, C-2, D-27).

-- No column names a user: a case is a reviewer's own text and stays when the user is erased; the item's id then leads nowhere.
CREATE TABLE corrections_message_case (
  tenant_id uuid NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
  id uuid NOT NULL PRIMARY KEY,
  item_id uuid NOT NULL,
  language varchar(16) NOT NULL,
  content jsonb NOT NULL,
  written_by varchar(80) NOT NULL,
  written_at timestamptz NOT NULL,
  CONSTRAINT a_message_case_has_content CHECK (jsonb_typeof(content) = 'object')
);
-- Proves that an item has one case; serves the look-up and the export.
CREATE UNIQUE INDEX an_item_has_one_case ON corrections_message_case (tenant_id, item_id);
-- Serves: the list of samples, newest first, of a tenant.
CREATE INDEX items_of_a_tenant ON corrections_review_item (tenant_id, created_at DESC, id DESC);
