-- Purpose: take back 0007_entering_together.sql.
DROP FUNCTION IF EXISTS enter_messages_v2;
