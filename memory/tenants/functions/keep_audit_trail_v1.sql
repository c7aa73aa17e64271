-- Refuses every change of the audit trail but the sealing of a row that is not sealed yet (D-29).
CREATE FUNCTION keep_audit_trail_v1() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public
AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.chain_hash IS NULL AND NEW.chain_hash IS NOT NULL
     AND to_jsonb(OLD) - 'chain_hash' = to_jsonb(NEW) - 'chain_hash' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'integrity_constraint_violation',
    CONSTRAINT = 'audit_event_is_append_only';
END
$$;

CREATE TRIGGER audit_event_is_append_only BEFORE UPDATE OR DELETE ON audit_event
FOR EACH ROW EXECUTE FUNCTION keep_audit_trail_v1();
