-- Purpose: what an index row and a vector belong to is checked once a statement instead of once a row: a quarter of what writing both
-- cost were three checks a message, each a query that locks a row. The foreign keys stay declared, NOT ENFORCED, and what they
-- promised is kept here, to the same names and errors: 0010_reverse.sql enforces them again, and proves every row by that.

-- Whose xmin is this transaction's own nobody else can see, let alone delete: such rows need no lock. Any other is held FOR KEY SHARE, as
-- foreign keys hold it, and who deletes it meanwhile is waited for. Rows of a savepoint have an xmin of their own and are held too.
-- A row four billion transactions old may bear the same number by chance: it is there, and only not held. Two functions of one shape
-- rather than one that is told its tables: a statement put together from names would be planned anew each time.
CREATE FUNCTION check_index_rows_v1() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  own constant xid := pg_current_xact_id()::xid;
  held bigint;
BEGIN
  IF EXISTS (SELECT FROM added a WHERE (
    SELECT m.xmin FROM memory_message m WHERE m.user_id = a.user_id AND m.id = a.message_id) IS DISTINCT FROM own) THEN
    SELECT count(*) INTO held FROM added a CROSS JOIN LATERAL (
      SELECT FROM memory_message m WHERE m.user_id = a.user_id AND m.id = a.message_id FOR KEY SHARE) m;
    IF held < (SELECT count(*) FROM added) THEN
      RAISE EXCEPTION 'an index row belongs to a message' USING ERRCODE = 'foreign_key_violation',
        SCHEMA = 'public', TABLE = 'message_index', CONSTRAINT = 'an_index_row_belongs_to_a_message';
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER check_index_rows AFTER INSERT ON message_index REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION check_index_rows_v1();

-- Models are never deleted (keep_model below), so that theirs need no lock.
CREATE FUNCTION check_vectors_v1() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  own constant xid := pg_current_xact_id()::xid;
  held bigint;
BEGIN
  IF EXISTS (SELECT FROM added a WHERE (
    SELECT i.xmin FROM message_index i WHERE i.user_id = a.user_id AND i.message_id = a.message_id) IS DISTINCT FROM own) THEN
    SELECT count(*) INTO held FROM added a CROSS JOIN LATERAL (
      SELECT FROM message_index i WHERE i.user_id = a.user_id AND i.message_id = a.message_id FOR KEY SHARE) i;
    IF held < (SELECT count(*) FROM added) THEN
      RAISE EXCEPTION 'a vector belongs to an indexed message' USING ERRCODE = 'foreign_key_violation',
        SCHEMA = 'public', TABLE = 'message_embedding', CONSTRAINT = 'a_vector_belongs_to_an_indexed_message';
    END IF;
  END IF;
  IF EXISTS (SELECT FROM (SELECT DISTINCT a.model_id FROM added a) a
              WHERE NOT EXISTS (SELECT FROM embedding_model e WHERE e.id = a.model_id)) THEN
    RAISE EXCEPTION 'a vector is of a known model' USING ERRCODE = 'foreign_key_violation',
      SCHEMA = 'public', TABLE = 'message_embedding', CONSTRAINT = 'message_embedding_model_id_fkey';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER check_vectors AFTER INSERT ON message_embedding REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION check_vectors_v1();

-- ON DELETE CASCADE. The statement in here has a snapshot of its own (READ COMMITTED), so that it sees what those committed who held the
-- row; in a transaction of one snapshot it would not, and is refused.
CREATE FUNCTION remove_index_row_v1() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'messages are deleted in READ COMMITTED' USING ERRCODE = 'feature_not_supported';
  END IF;
  DELETE FROM message_index i WHERE i.user_id = OLD.user_id AND i.message_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER remove_index_row AFTER DELETE ON memory_message FOR EACH ROW EXECUTE FUNCTION remove_index_row_v1();

CREATE FUNCTION remove_vectors_v1() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
    RAISE EXCEPTION 'index rows are deleted in READ COMMITTED' USING ERRCODE = 'feature_not_supported';
  END IF;
  DELETE FROM message_embedding e WHERE e.user_id = OLD.user_id AND e.message_id = OLD.message_id;
  RETURN NULL;
END $$;
CREATE TRIGGER remove_vectors AFTER DELETE ON message_index FOR EACH ROW EXECUTE FUNCTION remove_vectors_v1();

-- Keys that are referred to do not change, and neither do references; keep_raw_verbatim keeps those of messages.
CREATE FUNCTION keep_key_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a row of % keeps its key', TG_TABLE_NAME USING ERRCODE = 'foreign_key_violation',
    SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, CONSTRAINT = TG_ARGV[0];
END $$;
CREATE TRIGGER keep_key AFTER UPDATE ON message_index FOR EACH ROW
  WHEN ((OLD.user_id, OLD.message_id) IS DISTINCT FROM (NEW.user_id, NEW.message_id))
  EXECUTE FUNCTION keep_key_v1('an_index_row_belongs_to_a_message');
CREATE TRIGGER keep_key AFTER UPDATE ON message_embedding FOR EACH ROW
  WHEN ((OLD.user_id, OLD.message_id, OLD.model_id) IS DISTINCT FROM (NEW.user_id, NEW.message_id, NEW.model_id))
  EXECUTE FUNCTION keep_key_v1('a_vector_belongs_to_an_indexed_message');
CREATE TRIGGER keep_key AFTER UPDATE ON embedding_model FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id) EXECUTE FUNCTION keep_key_v1('message_embedding_model_id_fkey');
CREATE TRIGGER keep_model AFTER DELETE ON embedding_model FOR EACH ROW
  EXECUTE FUNCTION keep_key_v1('message_embedding_model_id_fkey');

-- Last: in the same transaction, so that nobody writes while neither guards.
ALTER TABLE message_index ALTER CONSTRAINT an_index_row_belongs_to_a_message NOT ENFORCED;
ALTER TABLE message_embedding ALTER CONSTRAINT a_vector_belongs_to_an_indexed_message NOT ENFORCED;
ALTER TABLE message_embedding ALTER CONSTRAINT message_embedding_model_id_fkey NOT ENFORCED;
