-- Purpose: what an erasure is and was: request, history, messages, certificate.

-- No foreign key to memory_user: the request is kept when the user is gone.
CREATE TABLE erasure_request (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  tombstone_id uuid NOT NULL,
  fingerprint bytea NOT NULL,
  scope varchar(16) NOT NULL,
  reason varchar(40) NOT NULL,
  actor varchar(80) NOT NULL,
  status varchar(16) NOT NULL,
  legal_profile varchar(40) NOT NULL,
  requested_at timestamptz NOT NULL,
  warning_at timestamptz NOT NULL,
  critical_at timestamptz NOT NULL,
  deadline_at timestamptz NOT NULL,
  alert varchar(10) NOT NULL DEFAULT '',
  available_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  counts jsonb NOT NULL DEFAULT '{}',
  completed_at timestamptz,
  completed_lsn pg_lsn,
  rechecked_at timestamptz,
  PRIMARY KEY (user_id, id),
  CONSTRAINT an_erasure_stands_under_a_tombstone
    FOREIGN KEY (user_id, tombstone_id) REFERENCES memory_tombstone (user_id, id),
  CONSTRAINT an_erasure_has_a_known_scope CHECK (scope IN ('all', 'conversation', 'messages', 'range')),
  CONSTRAINT an_erasure_has_a_known_status CHECK (status IN (
    'requested', 'verified', 'tombstoned', 'queued', 'processing', 'completed', 'failed', 'retry_pending', 'escalated')),
  CONSTRAINT a_reason_is_a_code CHECK (reason ~ '^[a-z][a-z0-9_]{0,39}$'),
  CONSTRAINT an_alert_is_known CHECK (alert IN ('', 'warning', 'critical', 'overdue')),
  CONSTRAINT a_completed_erasure_says_when CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CONSTRAINT a_deadline_comes_after_its_alerts CHECK (
    requested_at <= warning_at AND warning_at <= critical_at AND critical_at <= deadline_at)
);
-- Serves: find_erasure(id), for GET /v1/erasures/{id} (D-10).
CREATE INDEX owner_of_an_erasure ON erasure_request (id);
-- Serves: claim_erasures_v2, and the list of what is open by deadline.
CREATE INDEX erasures_to_do ON erasure_request (available_at) WHERE status <> 'completed';
-- Serves: claim_erasures_to_recheck_v1.
CREATE INDEX erasures_to_recheck ON erasure_request (completed_at) WHERE status = 'completed' AND rechecked_at IS NULL;
-- Serves: the same request again answers the same erasure.
CREATE INDEX erasures_by_what_was_asked ON erasure_request (user_id, fingerprint);
-- Serves: the erasure behind a tombstone, for one who asks again after it is done.
CREATE INDEX erasure_of_a_tombstone ON erasure_request (user_id, tombstone_id);

CREATE TABLE erasure_event (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  erasure_id uuid NOT NULL,
  status varchar(16) NOT NULL,
  code varchar(60) NOT NULL DEFAULT '',
  happened_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT an_event_belongs_to_an_erasure FOREIGN KEY (user_id, erasure_id) REFERENCES erasure_request (user_id, id),
  CONSTRAINT an_event_says_why_in_a_code CHECK (code ~ '^[a-z0-9_.]*$')
);
-- Serves: the history of one erasure, oldest first.
CREATE INDEX events_of_an_erasure ON erasure_event (user_id, erasure_id, id);

-- The messages of a part erasure, fixed when it is asked for: ids alone, kept so that it can be proved afterwards.
CREATE TABLE erasure_item (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  erasure_id uuid NOT NULL,
  message_id uuid NOT NULL,
  PRIMARY KEY (user_id, erasure_id, message_id),
  CONSTRAINT an_item_belongs_to_an_erasure FOREIGN KEY (user_id, erasure_id) REFERENCES erasure_request (user_id, id)
);

CREATE TABLE erasure_certificate (
  tenant_id uuid NOT NULL,
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  erasure_id uuid NOT NULL,
  stage smallint NOT NULL,
  number integer NOT NULL,
  body text NOT NULL,
  signature bytea NOT NULL,
  signed_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id),
  CONSTRAINT a_certificate_is_of_an_erasure FOREIGN KEY (user_id, erasure_id) REFERENCES erasure_request (user_id, id),
  CONSTRAINT a_certificate_has_one_of_two_stages CHECK (stage IN (1, 2))
);
-- Serves: the newest certificate of a tenant, whose hash the next one carries; no number is given twice.
CREATE UNIQUE INDEX certificates_of_a_tenant ON erasure_certificate (tenant_id, number);
-- Serves: the certificates of one erasure.
CREATE INDEX certificates_of_an_erasure ON erasure_certificate (user_id, erasure_id, number);

-- When the files of a table were last written anew. Of the installation, not of a tenant; written by maintenance alone.
CREATE TABLE storage_rewrite (
  id uuid PRIMARY KEY,
  relation varchar(63) NOT NULL,
  began_lsn pg_lsn NOT NULL,
  finished_at timestamptz NOT NULL,
  dead_rows_kept bigint,
  wal_kept_from pg_lsn,
  CONSTRAINT a_rewrite_names_a_relation CHECK (relation <> '')
);
-- Serves: was this table rewritten after that position?
CREATE INDEX rewrites_of_a_relation ON storage_rewrite (relation, began_lsn DESC);

-- The states of SPEC G-2; an erasure cannot jump, and what was completed stays so.
CREATE FUNCTION an_erasure_moves_forward_v1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE allowed text[];
BEGIN
  IF (NEW.user_id, NEW.id, NEW.tenant_id, NEW.tombstone_id, NEW.scope, NEW.reason, NEW.requested_at) IS DISTINCT FROM
     (OLD.user_id, OLD.id, OLD.tenant_id, OLD.tombstone_id, OLD.scope, OLD.reason, OLD.requested_at) THEN
    RAISE EXCEPTION 'an erasure keeps what was asked' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  allowed := CASE OLD.status
    WHEN 'requested' THEN ARRAY['verified'] WHEN 'verified' THEN ARRAY['tombstoned'] WHEN 'tombstoned' THEN ARRAY['queued']
    WHEN 'queued' THEN ARRAY['processing', 'escalated'] WHEN 'processing' THEN ARRAY['completed', 'failed']
    WHEN 'failed' THEN ARRAY['retry_pending', 'escalated'] WHEN 'retry_pending' THEN ARRAY['processing', 'escalated']
    WHEN 'escalated' THEN ARRAY['processing'] ELSE '{}'::text[] END;
  IF NEW.status <> OLD.status AND NOT NEW.status = ANY (allowed) THEN
    RAISE EXCEPTION 'an erasure goes from state to state' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER an_erasure_moves_forward BEFORE UPDATE ON erasure_request
  FOR EACH ROW EXECUTE FUNCTION an_erasure_moves_forward_v1();

CREATE FUNCTION keep_the_proof_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the record of erasures is kept' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER keep_the_proof BEFORE DELETE ON erasure_request FOR EACH ROW EXECUTE FUNCTION keep_the_proof_v1();
CREATE TRIGGER keep_the_proof BEFORE UPDATE OR DELETE ON erasure_event FOR EACH ROW EXECUTE FUNCTION keep_the_proof_v1();
CREATE TRIGGER keep_the_proof BEFORE UPDATE OR DELETE ON erasure_item FOR EACH ROW EXECUTE FUNCTION keep_the_proof_v1();
CREATE TRIGGER keep_the_proof BEFORE UPDATE OR DELETE ON erasure_certificate
  FOR EACH ROW EXECUTE FUNCTION keep_the_proof_v1();
CREATE TRIGGER keep_the_proof BEFORE UPDATE OR DELETE ON memory_tombstone
  FOR EACH ROW EXECUTE FUNCTION keep_the_proof_v1();

-- Takes due erasures, nearest deadline first, and hides each from other workers for the length of the lease: a
-- worker that
-- dies gives it back by dying. Index: erasures_to_do.
CREATE FUNCTION claim_erasures_v1(claimed_at timestamptz, lease interval, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, erasure_id uuid)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE erasure_request r SET available_at = claimed_at + lease, attempts = r.attempts + 1
  FROM (SELECT q.user_id, q.id FROM erasure_request q
         WHERE q.status <> 'completed' AND q.available_at <= claimed_at
         ORDER BY q.deadline_at LIMIT at_most FOR UPDATE SKIP LOCKED) due
  WHERE r.user_id = due.user_id AND r.id = due.id
  RETURNING r.tenant_id, r.user_id, r.id
$$;

-- Open erasures whose next alert is due. Index: erasures_to_do.
CREATE FUNCTION claim_erasure_alerts_v1(due_at timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, erasure_id uuid)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.tenant_id, r.user_id, r.id FROM erasure_request r
   WHERE r.status <> 'completed'
     AND ((r.alert = '' AND r.warning_at <= due_at) OR (r.alert IN ('', 'warning') AND r.critical_at <= due_at)
          OR (r.alert <> 'overdue' AND r.deadline_at <= due_at))
   ORDER BY r.deadline_at LIMIT at_most
$$;

-- Completed erasures to be looked at once more, when every request that began before them is over. Index:
-- erasures_to_recheck.
CREATE FUNCTION claim_erasures_to_recheck_v1(completed_before timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, erasure_id uuid)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.tenant_id, r.user_id, r.id FROM erasure_request r
   WHERE r.status = 'completed' AND r.rechecked_at IS NULL AND r.completed_at <= completed_before
   ORDER BY r.completed_at LIMIT at_most
$$;

-- What is open: for readiness, the start page and metrics. Counts only. Index: erasures_to_do.
CREATE FUNCTION count_open_erasures_v1()
RETURNS TABLE (status varchar, alert varchar, open bigint, nearest_deadline timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.status, r.alert, count(*), min(r.deadline_at) FROM erasure_request r
   WHERE r.status <> 'completed' GROUP BY r.status, r.alert
$$;

-- Serves: find_erasures_in_files_v1. Completed and looked at once more; few, for the night signs them.
CREATE INDEX erasures_by_completion ON erasure_request (completed_at) WHERE status = 'completed' AND rechecked_at IS NOT NULL;

-- The oldest first. Indexes: erasures_by_completion, certificates_of_an_erasure.
CREATE FUNCTION find_erasures_in_files_v1(at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, erasure_id uuid, completed_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.tenant_id, r.user_id, r.id, r.completed_at FROM erasure_request r
   WHERE r.status = 'completed' AND r.rechecked_at IS NOT NULL
     AND NOT EXISTS (SELECT FROM erasure_certificate c
                      WHERE c.user_id = r.user_id AND c.erasure_id = r.id AND c.stage = 2)
   ORDER BY r.completed_at LIMIT at_most
$$;

-- Counts on with every erasure that has deleted something. A process that sees a new number empties its stores of words.
CREATE SEQUENCE erasure_generation;
