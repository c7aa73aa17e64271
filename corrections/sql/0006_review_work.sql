-- Purpose: what reviewers asked for: people, remarks, and messages in which nothing was found (SPEC H-1, X-4).

-- Who is to judge an item: a staff code, or '' for everybody.
ALTER TABLE corrections_review_item ADD COLUMN assigned_to varchar(80) NOT NULL DEFAULT '';
-- A note and the value that is right, as JSON sealed with the user's key: they may quote what the user said (D-15).
ALTER TABLE corrections_review_verdict ADD COLUMN remark bytea;
-- No statistics of what can hold words (SPEC G-3).
ALTER TABLE corrections_review_verdict ALTER COLUMN remark SET STATISTICS 0;

ALTER TABLE corrections_review_item
  DROP CONSTRAINT an_item_comes_from_a_known_source,
  DROP CONSTRAINT an_item_names_what_is_judged,
  DROP CONSTRAINT a_decision_is_one_of_four,
  ADD CONSTRAINT an_item_comes_from_a_known_source
    CHECK (source IN ('instant', 'extraction', 'correction', 'message')),
  ADD CONSTRAINT an_item_names_what_is_judged CHECK ((source = 'correction') = (correction_id IS NOT NULL)
    AND (source IN ('correction', 'message') OR fact_id IS NOT NULL)
    AND (source <> 'message' OR (fact_id IS NULL AND cardinality(evidence_message_ids) = 1))),
  ADD CONSTRAINT a_decision_is_one_of_five
    CHECK (verdict IN ('correct', 'wrong_subject', 'false_fact', 'missed_sarcasm', 'missed_fact')),
  ADD CONSTRAINT only_a_message_can_hold_a_missed_fact CHECK (verdict IS NULL OR verdict = 'correct'
    OR (verdict = 'missed_fact') = (source = 'message'));
ALTER TABLE corrections_review_verdict
  DROP CONSTRAINT a_reviewers_verdict_is_one_of_four,
  ADD CONSTRAINT a_reviewers_verdict_is_one_of_five
    CHECK (verdict IN ('correct', 'wrong_subject', 'false_fact', 'missed_sarcasm', 'missed_fact'));

-- Proves that a message is drawn once.
CREATE UNIQUE INDEX a_message_is_sampled_once ON corrections_review_item (user_id, (evidence_message_ids[1]))
  WHERE source = 'message';
