-- Purpose: a receipt says of every line of a summary, passage of knowledge and entity of a pack where it stood and why it was
-- there, and which had no room (SPEC P-4).
ALTER TABLE retrieval_receipt
  ADD COLUMN line_positions smallint[] NOT NULL DEFAULT '{}',
  ADD COLUMN line_reasons text[] NOT NULL DEFAULT '{}',
  ADD COLUMN line_episode_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN left_out_line_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN chunk_positions smallint[] NOT NULL DEFAULT '{}',
  ADD COLUMN left_out_chunk_ids bigint[] NOT NULL DEFAULT '{}',
  ADD COLUMN entity_kinds text[] NOT NULL DEFAULT '{}',
  ADD COLUMN entity_message_ids uuid[] NOT NULL DEFAULT '{}',
  ADD COLUMN entity_positions smallint[] NOT NULL DEFAULT '{}';
-- Receipts from before have none of these.
ALTER TABLE retrieval_receipt
  ADD CONSTRAINT every_line_has_a_place_and_a_reason CHECK (
    cardinality(line_positions) IN (0, cardinality(line_ids)) AND cardinality(line_reasons) = cardinality(line_positions)
    AND cardinality(line_episode_ids) = cardinality(line_positions)),
  ADD CONSTRAINT every_chunk_has_a_place CHECK (cardinality(chunk_positions) IN (0, cardinality(chunk_ids))),
  ADD CONSTRAINT every_entity_has_a_kind_a_message_and_a_place_or_none CHECK (
    cardinality(entity_message_ids) = cardinality(entity_kinds)
    AND cardinality(entity_positions) = cardinality(entity_kinds));
-- Statistics of lists serve no plan (0012).
ALTER TABLE retrieval_receipt
  ALTER line_positions SET STATISTICS 0, ALTER line_reasons SET STATISTICS 0, ALTER line_episode_ids SET STATISTICS 0,
  ALTER left_out_line_ids SET STATISTICS 0, ALTER chunk_positions SET STATISTICS 0,
  ALTER left_out_chunk_ids SET STATISTICS 0, ALTER entity_kinds SET STATISTICS 0,
  ALTER entity_message_ids SET STATISTICS 0, ALTER entity_positions SET STATISTICS 0;
