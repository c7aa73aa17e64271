ALTER TABLE retrieval_receipt
  DROP CONSTRAINT every_line_has_a_place_and_a_reason, DROP CONSTRAINT every_chunk_has_a_place,
  DROP CONSTRAINT every_entity_has_a_kind_a_message_and_a_place_or_none,
  DROP COLUMN line_positions, DROP COLUMN line_reasons, DROP COLUMN line_episode_ids, DROP COLUMN left_out_line_ids,
  DROP COLUMN chunk_positions, DROP COLUMN left_out_chunk_ids, DROP COLUMN entity_kinds,
  DROP COLUMN entity_message_ids, DROP COLUMN entity_positions;
