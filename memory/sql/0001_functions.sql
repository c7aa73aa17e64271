-- Purpose: the user's lock, the supersede trigger, the guards of the two append-only truths, claims across tenants.

-- One lock per user (D-6): every writer of that user's facts, index or fence takes it first. A collision of the hash
-- costs waiting, nothing else.
CREATE FUNCTION lock_user_v1(locked_user_id uuid) RETURNS void LANGUAGE sql VOLATILE AS $$
  SELECT pg_advisory_xact_lock(hashtextextended(locked_user_id::text, 20260221))
$$;

-- Finds or makes the user, takes the lock, and only then reads the fence: each statement in here has a snapshot of its
-- own (READ COMMITTED), so what is read after the lock is what the previous holder committed. Says also what the caller
-- needs to hold tombstones against new items, at no cost where there are none (D-29).
-- A user erased while we waited for the lock is gone by now: then the one who comes is a new user.
CREATE FUNCTION enter_user_v2(entering_tenant_id uuid, entering_external_id varchar, fresh_id uuid, entered_at timestamptz)
RETURNS TABLE (user_id uuid, fenced_at timestamptz, has_tombstones boolean, may_be_erased boolean)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  found_id uuid;
  is_new boolean;
BEGIN
  FOR attempt IN 1..8 LOOP
    is_new := false;
    SELECT u.id INTO found_id FROM memory_user u
     WHERE u.tenant_id = entering_tenant_id AND u.external_id = entering_external_id;
    IF found_id IS NULL THEN
      INSERT INTO memory_user (id, tenant_id, external_id, created_at)
      VALUES (fresh_id, entering_tenant_id, entering_external_id, entered_at)
      ON CONFLICT ON CONSTRAINT an_external_id_is_one_user_of_a_tenant DO NOTHING;
      is_new := FOUND;
      SELECT u.id INTO found_id FROM memory_user u
       WHERE u.tenant_id = entering_tenant_id AND u.external_id = entering_external_id;
      CONTINUE WHEN found_id IS NULL;
    END IF;
    PERFORM lock_user_v1(found_id);
    RETURN QUERY
      SELECT u.id, u.fenced_at, u.has_tombstones,
             is_new AND EXISTS (SELECT FROM memory_tombstone t WHERE t.tenant_id = entering_tenant_id)
        FROM memory_user u WHERE u.id = found_id;
    EXIT WHEN FOUND;
  END LOOP;
END $$;

-- KSP fix 2, with the order of D-2: the active row of a key is the one with the greatest (valid_at, log_position). A row
-- that comes later but was said earlier is stored inactive and already superseded. History is linked old -> new.
CREATE FUNCTION supersede_knowledge_v1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  present user_knowledge%ROWTYPE;
  newest integer;
BEGIN
  PERFORM lock_user_v1(NEW.user_id);
  SELECT max(k.version) INTO newest FROM user_knowledge k
   WHERE k.user_id = NEW.user_id AND k.knowledge_type = NEW.knowledge_type AND k.key_hash = NEW.key_hash;
  NEW.version := coalesce(newest, 0) + 1;
  IF NOT NEW.is_active THEN
    RETURN NEW;
  END IF;
  SELECT * INTO present FROM user_knowledge k
   WHERE k.user_id = NEW.user_id AND k.knowledge_type = NEW.knowledge_type AND k.key_hash = NEW.key_hash AND k.is_active;
  IF NOT FOUND THEN
    RETURN NEW;
  END IF;
  IF (present.valid_at, present.log_position) > (NEW.valid_at, NEW.log_position) THEN
    NEW.is_active := false;
    NEW.is_disputed := false;
    NEW.superseded_by := present.id;
    NEW.invalid_at := present.valid_at;
  ELSE
    UPDATE user_knowledge k
       SET is_active = false, is_disputed = false, superseded_by = NEW.id, invalid_at = NEW.valid_at, updated_at = NEW.updated_at
     WHERE k.user_id = present.user_id AND k.id = present.id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER supersede_knowledge BEFORE INSERT ON user_knowledge
  FOR EACH ROW EXECUTE FUNCTION supersede_knowledge_v1();

-- A fact's key, value and origin never change: another value is another row.
CREATE FUNCTION keep_what_a_fact_says_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.user_id, NEW.id, NEW.tenant_id, NEW.knowledge_type, NEW.key_hash, NEW.version, NEW.extracted_from, NEW.valid_at,
      NEW.log_position, NEW.action_id) IS DISTINCT FROM
     (OLD.user_id, OLD.id, OLD.tenant_id, OLD.knowledge_type, OLD.key_hash, OLD.version, OLD.extracted_from, OLD.valid_at,
      OLD.log_position, OLD.action_id) THEN
    RAISE EXCEPTION 'a fact keeps what it says' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_what_a_fact_says BEFORE UPDATE ON user_knowledge
  FOR EACH ROW EXECUTE FUNCTION keep_what_a_fact_says_v1();

-- RAW is word for word (SPEC T-1): after the insert only forgetting may touch a row, and only these two columns.
CREATE FUNCTION keep_raw_verbatim_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF to_jsonb(NEW) - 'forgotten_at' - 'response_description' - 'reply_to_id' - 'replaces_id'
     IS DISTINCT FROM to_jsonb(OLD) - 'forgotten_at' - 'response_description' - 'reply_to_id' - 'replaces_id'
     OR (NEW.reply_to_id IS DISTINCT FROM OLD.reply_to_id AND NEW.reply_to_id IS NOT NULL)
     OR (NEW.replaces_id IS DISTINCT FROM OLD.replaces_id AND NEW.replaces_id IS NOT NULL) THEN
    RAISE EXCEPTION 'a message keeps every word' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_raw_verbatim BEFORE UPDATE ON memory_message
  FOR EACH ROW EXECUTE FUNCTION keep_raw_verbatim_v1();

-- A row of the two truths goes only under a tombstone that covers it (D-29); what was received after the erasure is safe
-- from it.
CREATE FUNCTION keep_messages_unless_erased_v2() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM memory_tombstone t
     WHERE t.user_id = OLD.user_id
       AND (t.scope = 'all' OR OLD.received_at <= t.erased_up_to)
       AND (t.scope = 'all'
            OR (t.scope = 'conversation' AND t.conversation_id = OLD.conversation_id)
            OR (t.scope = 'messages' AND t.message_ids ? OLD.id::text)
            OR (t.scope = 'range' AND OLD.created_at >= coalesce(t.said_from, '-infinity')
                AND OLD.created_at < coalesce(t.said_to, 'infinity')))) THEN
    RAISE EXCEPTION 'a message goes only under a tombstone' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER keep_messages_unless_erased BEFORE DELETE ON memory_message
  FOR EACH ROW EXECUTE FUNCTION keep_messages_unless_erased_v2();

-- Under a tombstone the words of an action may be taken out where a fact still hangs on it.
CREATE FUNCTION keep_actions_v2() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM memory_tombstone t WHERE t.user_id = OLD.user_id) THEN
    IF TG_OP = 'DELETE' THEN
      RETURN OLD;
    ELSIF NEW.sealed IS NULL AND to_jsonb(NEW) - 'sealed' = to_jsonb(OLD) - 'sealed' THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the action log is append-only' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER keep_actions BEFORE UPDATE OR DELETE ON memory_action
  FOR EACH ROW EXECUTE FUNCTION keep_actions_v2();

-- Workers see across tenants only through these: they return ids, then the worker enters the tenant (D-14).
CREATE FUNCTION claim_expired_facts_v1(due_at timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid) LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT DISTINCT k.tenant_id, k.user_id FROM (
    SELECT f.tenant_id, f.user_id FROM user_knowledge f
     WHERE f.is_active AND f.expires_at IS NOT NULL AND f.expires_at <= due_at
     ORDER BY f.expires_at LIMIT at_most) k
$$;

CREATE FUNCTION claim_overdue_forgets_v1(due_at timestamptz, at_most integer)
RETURNS TABLE (tenant_id uuid, user_id uuid, batch_id uuid)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT b.tenant_id, b.user_id, b.id FROM memory_forget_batch b
   WHERE b.status = 'done' AND b.grace_until <= due_at ORDER BY b.grace_until LIMIT at_most
$$;
