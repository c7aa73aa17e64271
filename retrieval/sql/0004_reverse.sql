-- Purpose: 0004_no_samples taken back.
ALTER TABLE message_index ALTER speaker SET STATISTICS -1, ALTER head SET STATISTICS -1, ALTER tsv SET STATISTICS -1;
ALTER TABLE message_snippet ALTER snippet SET STATISTICS -1;
ALTER TABLE message_embedding ALTER embedding SET STATISTICS -1;
ALTER TABLE retrieval_receipt ALTER query_hash SET STATISTICS -1, ALTER rendering_hash SET STATISTICS -1;
