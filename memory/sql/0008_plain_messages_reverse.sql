-- Purpose: take back 0008_plain_messages.sql.
DROP FUNCTION IF EXISTS store_plain_message_v1;
DROP FUNCTION IF EXISTS store_message_v1;
