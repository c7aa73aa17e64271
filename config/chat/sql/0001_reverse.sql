-- Purpose: takes 0001_tables back.
DROP TABLE chat_turn;
