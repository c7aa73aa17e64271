-- Purpose: take back 0009_plain_messages.sql.
DROP FUNCTION IF EXISTS index_plain_message_v1;
