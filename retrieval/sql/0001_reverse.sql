-- Purpose: takes back 0001_tables.sql and 0001_functions.sql.
DROP TABLE retrieval_receipt, span_threshold, message_snippet, embedding_task, message_embedding, embedding_model,
  message_index;
DROP FUNCTION claim_embedding_tasks_v1(smallint, timestamptz, integer);
DROP FUNCTION sweep_embedding_tasks_v1(timestamptz);
DROP FUNCTION count_embedding_tasks_v1();
DROP FUNCTION plan_embedding_tasks_v1(smallint, timestamptz, integer);
DROP FUNCTION prepare_receipt_partitions_v1(date, integer);
DROP FUNCTION drop_receipt_partitions_v1(date);
DROP FUNCTION first_uuid_of_v1(timestamptz);
