"""Proposals for a tenant's knowledge (SPEC N-8, D-50)."""

from pathlib import Path

from django.db import migrations, models

from memory.tenants.sql import enable_rls

SQL = Path(__file__).resolve().parent.parent / "sql"


class Migration(migrations.Migration):
    dependencies = [("corrections", "0009_retold_cases"), ("memory", "0009_storing")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="PromotionProposal",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("knowledge_type", models.CharField(max_length=40)),
                        ("value", models.CharField(max_length=200)),
                        ("confidence", models.FloatField()),
                        ("seen", models.IntegerField()),
                        ("users", models.IntegerField()),
                        ("sessions", models.IntegerField()),
                        ("conflict", models.FloatField()),
                        ("state", models.CharField(default="pending", max_length=8)),
                        ("corpus", models.CharField(blank=True, default="", max_length=128)),
                        ("staff_id", models.BigIntegerField(blank=True, null=True)),
                        ("decided_at", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField()),
                        ("updated_at", models.DateTimeField()),
                    ],
                    options={"db_table": "promotion_proposal"},
                ),
                migrations.CreateModel(
                    name="PromotionEvidence",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("tenant_id", models.UUIDField(editable=False)),
                        ("user_id", models.UUIDField(editable=False)),
                        ("proposal_id", models.UUIDField(editable=False)),
                        ("sealed", models.BinaryField()),
                        ("seen", models.IntegerField()),
                        ("found_at", models.DateTimeField()),
                    ],
                    options={"db_table": "promotion_evidence"},
                ),
            ],
            database_operations=[
                migrations.RunSQL(
                    (SQL / "0010_promotion.sql").read_text(encoding="utf-8"),
                    "DROP TABLE promotion_evidence; DROP TABLE promotion_proposal;",
                )
            ],
        ),
        *enable_rls("promotion_proposal"),
        *enable_rls("promotion_evidence"),
    ]
