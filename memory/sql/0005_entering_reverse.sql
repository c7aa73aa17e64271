-- Purpose: take back 0005_entering.sql.
DROP FUNCTION IF EXISTS enter_messages_v1;
