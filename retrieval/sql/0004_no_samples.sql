-- Purpose: what people wrote does not go into the planner's statistics, where a sample of it would outlive the rows (SPEC G-3).
ALTER TABLE message_index ALTER speaker SET STATISTICS 0, ALTER head SET STATISTICS 0, ALTER tsv SET STATISTICS 0;
ALTER TABLE message_snippet ALTER snippet SET STATISTICS 0;
ALTER TABLE message_embedding ALTER embedding SET STATISTICS 0;
ALTER TABLE retrieval_receipt ALTER query_hash SET STATISTICS 0, ALTER rendering_hash SET STATISTICS 0;
