-- Purpose: imports that a worker carries out, and their files until then (SPEC A-3).

CREATE TABLE memory_import (
  tenant_id uuid NOT NULL REFERENCES tenant (id),
  user_id uuid NOT NULL REFERENCES memory_user (id),
  id uuid NOT NULL,
  file_format varchar(12) NOT NULL,
  status varchar(10) NOT NULL DEFAULT 'waiting',
  body_digest bytea NOT NULL,
  size integer NOT NULL,
  actor varchar(80) NOT NULL,
  taken integer NOT NULL DEFAULT 0,
  sealed bytea,
  failure varchar(60) NOT NULL DEFAULT '',
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  available_at timestamptz NOT NULL,
  -- While a worker is at it. One that dies leaves it to the next when this has passed.
  claimed_until timestamptz,
  finished_at timestamptz,
  PRIMARY KEY (user_id, id),
  CONSTRAINT an_import_is_in_a_known_format CHECK (file_format IN ('unde', 'jsonl', 'mem0', 'zep', 'hindsight')),
  CONSTRAINT an_import_is_in_a_known_status CHECK (status IN ('waiting', 'running', 'succeeded', 'failed')),
  CONSTRAINT an_import_that_is_over_has_an_end CHECK ((status IN ('succeeded', 'failed')) = (finished_at IS NOT NULL)),
  CONSTRAINT an_import_that_failed_says_why CHECK (status <> 'failed' OR failure <> ''),
  CONSTRAINT an_import_that_is_over_has_its_counts CHECK (finished_at IS NULL OR sealed IS NOT NULL),
  CONSTRAINT a_file_is_known_by_a_whole_digest CHECK (length(body_digest) = 32),
  CONSTRAINT figures_of_an_import_are_not_negative CHECK (size >= 0 AND taken >= 0 AND attempts >= 0)
);
-- One at a time, so that files that belong together come in their order.
CREATE UNIQUE INDEX a_user_has_one_open_import ON memory_import (user_id) WHERE status IN ('waiting', 'running');
-- Serves: claim_imports_v2, count_open_imports_v1.
CREATE INDEX imports_that_are_open ON memory_import (available_at) WHERE status IN ('waiting', 'running');
-- Serves: drop_imports_v2.
CREATE INDEX imports_that_are_over ON memory_import (finished_at) WHERE finished_at IS NOT NULL;
-- Serves: an operation by its bare id.
CREATE INDEX imports_by_id ON memory_import (id);
-- Serves: the console's list.
CREATE INDEX imports_of_a_tenant ON memory_import (tenant_id, id);

CREATE TABLE memory_import_part (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  import_id uuid NOT NULL,
  number integer NOT NULL,
  sealed bytea NOT NULL,
  PRIMARY KEY (user_id, id),
  FOREIGN KEY (user_id, import_id) REFERENCES memory_import (user_id, id) ON DELETE CASCADE,
  CONSTRAINT parts_of_an_import_are_numbered UNIQUE (user_id, import_id, number)
);
ALTER TABLE memory_import ALTER sealed SET STATISTICS 0;
ALTER TABLE memory_import ALTER body_digest SET STATISTICS 0;
ALTER TABLE memory_import_part ALTER sealed SET STATISTICS 0;

-- The file goes with the end of its import, whoever ends it, and what is over stays as it is.
CREATE FUNCTION end_import_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.finished_at IS NOT NULL THEN
    RAISE EXCEPTION 'an import that is over stays as it is' USING ERRCODE = 'restrict_violation';
  END IF;
  DELETE FROM memory_import_part p WHERE p.user_id = NEW.user_id AND p.import_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER the_file_goes_with_the_end_of_its_import AFTER UPDATE ON memory_import
  FOR EACH ROW WHEN (NEW.finished_at IS NOT NULL OR OLD.finished_at IS NOT NULL) EXECUTE FUNCTION end_import_v1();

-- Imports of any tenant that are due, claimed for a while. One whose row a living worker holds locked is passed over,
-- however long it takes. Index: imports_that_are_open.
CREATE FUNCTION claim_imports_v1(due_at timestamptz, held_until timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, id uuid)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE memory_import i SET status = 'running', claimed_until = held_until, attempts = i.attempts + 1
    FROM (SELECT o.user_id, o.id FROM memory_import o
           WHERE o.status IN ('waiting', 'running') AND o.available_at <= due_at
             AND (o.claimed_until IS NULL OR o.claimed_until <= due_at)
           ORDER BY o.available_at LIMIT at_most FOR UPDATE SKIP LOCKED) due
   WHERE i.user_id = due.user_id AND i.id = due.id
  RETURNING i.tenant_id, i.user_id, i.id
$$;

-- Imports of all tenants that are not over and were accepted before a moment, for readiness and metrics.
-- Index: imports_that_are_open.
CREATE FUNCTION count_open_imports_v1(accepted_before timestamptz)
RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*) FROM memory_import WHERE status IN ('waiting', 'running') AND created_at <= accepted_before
$$;

-- Deletes what is over since before a moment; how many. Index: imports_that_are_over.
CREATE FUNCTION drop_imports_v1(finished_before timestamptz, at_most integer)
RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH gone AS (
    DELETE FROM memory_import i USING (
      SELECT o.user_id, o.id FROM memory_import o WHERE o.finished_at < finished_before
       ORDER BY o.finished_at LIMIT at_most FOR UPDATE SKIP LOCKED) old
     WHERE i.user_id = old.user_id AND i.id = old.id RETURNING 1)
  SELECT count(*) FROM gone
$$;
