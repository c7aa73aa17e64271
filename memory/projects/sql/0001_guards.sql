-- Purpose: what constraints can't say: versions and snapshots do not change, states follow each other as they may.

-- A version is closed once; its words may go (an erased source), and what is derived from them may be made anew.
CREATE FUNCTION keep_project_version_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.known_to IS NOT NULL AND NEW.known_to IS DISTINCT FROM OLD.known_to
     OR NEW.known_from IS DISTINCT FROM OLD.known_from
     OR NEW.sealed IS DISTINCT FROM OLD.sealed AND NEW.sealed IS NOT NULL THEN
    RAISE EXCEPTION 'a stored version does not change'
      USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'a_stored_version_does_not_change';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION keep_project_fact_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.level, NEW.status, NEW.is_exclusive, NEW.valid_from, NEW.version, NEW.id)
       IS DISTINCT FROM (OLD.level, OLD.status, OLD.is_exclusive, OLD.valid_from, OLD.version, OLD.id)
     OR NEW.valid_to IS DISTINCT FROM OLD.valid_to THEN
    RAISE EXCEPTION 'a stored version does not change'
      USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'a_stored_version_does_not_change';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION keep_project_snapshot_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a snapshot does not change'
    USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'a_snapshot_does_not_change';
END $$;

CREATE TRIGGER keep_project_version BEFORE UPDATE ON project_version FOR EACH ROW EXECUTE FUNCTION keep_project_version_v1();
CREATE TRIGGER keep_project_artifact BEFORE UPDATE ON project_artifact FOR EACH ROW EXECUTE FUNCTION keep_project_version_v1();
CREATE TRIGGER keep_project_decision BEFORE UPDATE ON project_decision FOR EACH ROW EXECUTE FUNCTION keep_project_version_v1();
CREATE TRIGGER keep_project_state BEFORE UPDATE ON project_decision_state
  FOR EACH ROW EXECUTE FUNCTION keep_project_version_v1();
CREATE TRIGGER keep_project_fact BEFORE UPDATE ON project_fact FOR EACH ROW EXECUTE FUNCTION keep_project_version_v1();
CREATE TRIGGER keep_project_fact_fields BEFORE UPDATE ON project_fact FOR EACH ROW EXECUTE FUNCTION keep_project_fact_v1();
CREATE TRIGGER keep_project_snapshot BEFORE UPDATE ON project_snapshot
  FOR EACH ROW EXECUTE FUNCTION keep_project_snapshot_v1();

CREATE FUNCTION decision_may_move_v1(before varchar, after varchar) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT before IS NULL OR after IS NULL OR (after = 'superseded' AND before <> 'superseded') OR (before, after) IN (
    ('proposed', 'accepted'), ('proposed', 'rejected'), ('proposed', 'implemented'), ('proposed', 'verified'),
    ('accepted', 'implemented'), ('accepted', 'verified'), ('accepted', 'rejected'),
    ('implemented', 'verified'), ('implemented', 'rejected'), ('verified', 'rejected'), ('rejected', 'proposed'))
$$;

-- A state is held against the one that holds at its time. What a history recorded (is_recorded) is taken as it was.
-- The project's row is locked first, so that two states that come together see each other.
CREATE FUNCTION check_decision_state_v1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before varchar;
  after varchar;
BEGIN
  PERFORM 1 FROM project WHERE id = NEW.project_id FOR UPDATE;
  IF NEW.is_recorded THEN
    RETURN NEW;
  END IF;
  SELECT s.state INTO before FROM project_decision_state s
   WHERE s.project_id = NEW.project_id AND s.decision_id = NEW.decision_id AND s.known_to IS NULL AND s.at <= NEW.at
   ORDER BY s.at DESC, s.position DESC LIMIT 1;
  IF NEW.state = 'superseded' THEN
    IF EXISTS (SELECT FROM project_decision_state s WHERE s.project_id = NEW.project_id AND s.decision_id = NEW.decision_id
               AND s.known_to IS NULL AND s.at > NEW.at) THEN
      RAISE EXCEPTION 'a later state is open'
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'a_superseded_decision_has_no_later_state';
    END IF;
    IF before IS DISTINCT FROM 'superseded' THEN
      RETURN NEW;
    END IF;
  ELSE
    SELECT s.state INTO after FROM project_decision_state s
     WHERE s.project_id = NEW.project_id AND s.decision_id = NEW.decision_id AND s.known_to IS NULL AND s.at > NEW.at
     ORDER BY s.at, s.position LIMIT 1;
    IF decision_may_move_v1(before, NEW.state) AND decision_may_move_v1(NEW.state, after) THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'this state does not follow'
    USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'a_state_follows_the_one_before_it';
END $$;

CREATE TRIGGER check_decision_state BEFORE INSERT ON project_decision_state
  FOR EACH ROW EXECUTE FUNCTION check_decision_state_v1();
