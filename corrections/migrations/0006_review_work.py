"""Items for people, remarks of reviewers, and messages in which nothing was found."""

from pathlib import Path

from django.db import migrations, models

SQL = Path(__file__).resolve().parent.parent / "sql"
REVERSE = """
DELETE FROM corrections_review_item WHERE source = 'message';
DROP INDEX a_message_is_sampled_once;
ALTER TABLE corrections_review_verdict
  DROP CONSTRAINT a_reviewers_verdict_is_one_of_five,
  ADD CONSTRAINT a_reviewers_verdict_is_one_of_four
    CHECK (verdict IN ('correct', 'wrong_subject', 'false_fact', 'missed_sarcasm')),
  DROP COLUMN remark;
ALTER TABLE corrections_review_item
  DROP CONSTRAINT only_a_message_can_hold_a_missed_fact,
  DROP CONSTRAINT a_decision_is_one_of_five,
  DROP CONSTRAINT an_item_names_what_is_judged,
  DROP CONSTRAINT an_item_comes_from_a_known_source,
  ADD CONSTRAINT an_item_comes_from_a_known_source CHECK (source IN ('instant', 'extraction', 'correction')),
  ADD CONSTRAINT an_item_names_what_is_judged CHECK ((source = 'correction') = (correction_id IS NOT NULL)
    AND (source = 'correction' OR fact_id IS NOT NULL)),
  ADD CONSTRAINT a_decision_is_one_of_four
    CHECK (verdict IN ('correct', 'wrong_subject', 'false_fact', 'missed_sarcasm')),
  DROP COLUMN assigned_to;
"""


class Migration(migrations.Migration):
    dependencies = [("corrections", "0004_message_cases")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("reviewitem", "assigned_to", models.CharField(blank=True, default="", max_length=80)),
                migrations.AddField("reviewverdict", "remark", models.BinaryField(null=True)),
            ],
            database_operations=[
                migrations.RunSQL((SQL / "0006_review_work.sql").read_text(encoding="utf-8"), REVERSE),
            ],
        ),
    ]
