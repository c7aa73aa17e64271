"""Rules, words and their versions, publications and counts of refusals."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    replaces = [
        ("patterns", "0001_initial"),
        ("patterns", "0002_publishing"),
        ("patterns", "0003_phrases_on_trial"),
        ("patterns", "0004_publications"),
        ("patterns", "0005_plain_names"),
    ]

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="LexiconEntry",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("category", models.CharField(max_length=40)),
                ("canonical", models.CharField(max_length=80)),
                (
                    "language",
                    models.CharField(
                        choices=[
                            ("ru", "ru"),
                            ("en", "en"),
                            ("ar", "ar"),
                            ("arabizi", "arabizi"),
                            ("mixed", "mixed"),
                            ("other", "other"),
                        ],
                        max_length=10,
                    ),
                ),
                ("tenant_id", models.UUIDField(blank=True, help_text="empty: shared by all tenants", null=True)),
                (
                    "aliases",
                    ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
                (
                    "forms",
                    ArrayField(
                        base_field=models.TextField(),
                        blank=True,
                        default=list,
                        help_text="inflected forms, written out",
                        size=None,
                    ),
                ),
                ("is_active", models.BooleanField(default=True)),
                ("pack", models.CharField(blank=True, editable=False, max_length=40)),
                ("pack_digest", models.CharField(blank=True, editable=False, max_length=64)),
                (
                    "changed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("quarantine_reason", models.CharField(blank=True, editable=False, max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "draft"), ("published", "published"), ("quarantined", "quarantined")],
                        default="published",
                        editable=False,
                        max_length=12,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
            ],
            options={
                "verbose_name_plural": "lexicon entries",
                "db_table": "patterns_lexicon_entry",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("tenant_id__isnull", True)),
                        fields=("category", "canonical", "language"),
                        name="patterns_shared_word_stands_once",
                    ),
                    models.UniqueConstraint(
                        fields=("tenant_id", "category", "canonical", "language"),
                        name="patterns_tenant_word_stands_once",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="EntryVersion",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("version", models.PositiveIntegerField()),
                ("content", models.JSONField()),
                ("changed_by", models.CharField(help_text="a pack's name or a staff user's id", max_length=64)),
                ("changed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("canary", "canary"),
                            ("published", "published"),
                            ("discarded", "discarded"),
                        ],
                        default="published",
                        max_length=12,
                    ),
                ),
                ("note", models.CharField(blank=True, max_length=200)),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="patterns.lexiconentry"
                    ),
                ),
                (
                    "canary_percent",
                    models.PositiveSmallIntegerField(default=0, help_text="of the users, while on trial"),
                ),
                ("canary_since", models.DateTimeField(help_text="since when it is tried on that share", null=True)),
            ],
            options={
                "db_table": "patterns_entry_version",
            },
        ),
        migrations.CreateModel(
            name="ReplyPhrases",
            fields=[],
            options={
                "verbose_name": "reply phrases",
                "verbose_name_plural": "reply phrases",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("patterns.lexiconentry",),
        ),
        migrations.CreateModel(
            name="RejectionCount",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("rule", models.CharField(max_length=80)),
                ("reason", models.CharField(max_length=40)),
                ("day", models.DateField()),
                ("count", models.PositiveBigIntegerField(default=0)),
                ("tenant_id", models.UUIDField(blank=True, null=True)),
                (
                    "rule_version",
                    models.PositiveIntegerField(default=0, help_text="0: counted before versions were told apart"),
                ),
            ],
            options={
                "db_table": "patterns_rejection_count",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant_id", "day", "rule", "rule_version", "reason"),
                        name="patterns_refusals_are_counted_once_a_day",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Rule",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("slug", models.SlugField(max_length=80)),
                ("tenant_id", models.UUIDField(blank=True, help_text="empty: shared by all tenants", null=True)),
                (
                    "knowledge_type",
                    models.CharField(
                        choices=[
                            ("body_params", "body params"),
                            ("allergy", "allergy"),
                            ("hard_ban", "hard ban"),
                            ("budget", "budget"),
                            ("life_event", "life event"),
                            ("correction", "correction"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "language",
                    models.CharField(
                        choices=[
                            ("ru", "ru"),
                            ("en", "en"),
                            ("ar", "ar"),
                            ("arabizi", "arabizi"),
                            ("mixed", "mixed"),
                            ("other", "other"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("extract", "extract"),
                            ("anchor", "anchor"),
                            ("anti_anchor", "anti anchor"),
                            ("guard", "guard"),
                            ("correction", "correction"),
                        ],
                        default="extract",
                        max_length=12,
                    ),
                ),
                (
                    "kind",
                    models.CharField(blank=True, help_text="what sort of statement the trigger opens", max_length=20),
                ),
                ("pattern", models.TextField(blank=True, help_text="RE2 syntax over normalised text; whole words")),
                (
                    "category",
                    models.CharField(
                        blank=True, help_text="instead of a pattern: a vocabulary category", max_length=40
                    ),
                ),
                (
                    "object_side",
                    models.CharField(
                        choices=[("after", "after"), ("before", "before"), ("both", "both"), ("none", "none")],
                        default="after",
                        max_length=6,
                    ),
                ),
                ("is_active", models.BooleanField(default=True)),
                ("rollout_percent", models.PositiveSmallIntegerField(default=100)),
                ("version", models.PositiveIntegerField(default=1)),
                (
                    "positive_examples",
                    ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
                (
                    "negative_examples",
                    ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
                (
                    "literals",
                    ArrayField(base_field=models.TextField(), blank=True, default=list, editable=False, size=None),
                ),
                ("pack", models.CharField(blank=True, editable=False, max_length=40)),
                ("pack_digest", models.CharField(blank=True, editable=False, max_length=64)),
                (
                    "changed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("quarantine_reason", models.CharField(blank=True, editable=False, max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "draft"), ("published", "published"), ("quarantined", "quarantined")],
                        default="published",
                        editable=False,
                        max_length=12,
                    ),
                ),
            ],
            options={
                "db_table": "patterns_rule",
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("tenant_id__isnull", True)),
                        fields=("slug",),
                        name="patterns_shared_rule_has_its_slug_alone",
                    ),
                    models.UniqueConstraint(
                        fields=("tenant_id", "slug"), name="patterns_tenant_rule_has_its_slug_alone"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("pattern", ""), ("category", ""), _connector="XOR"),
                        name="patterns_rule_fires_by_pattern_or_by_category",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("rollout_percent__lte", 100)),
                        name="patterns_rule_is_rolled_out_to_at_most_all",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("negative_examples__len__gt", 0), ("positive_examples__len__gt", 0)),
                        name="patterns_rule_has_examples_of_both_kinds",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RuleSetVersion",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("version", models.PositiveBigIntegerField(default=1)),
                ("pack_digests", models.JSONField(default=dict)),
                ("raised_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "db_table": "patterns_rule_set_version",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="patterns_there_is_one_version_row")
                ],
            },
        ),
        migrations.CreateModel(
            name="RuleVersion",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("version", models.PositiveIntegerField()),
                ("content", models.JSONField()),
                ("changed_by", models.CharField(help_text="a pack's name or a staff user's id", max_length=64)),
                ("changed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "rule",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="patterns.rule"
                    ),
                ),
                (
                    "canary_percent",
                    models.PositiveSmallIntegerField(default=0, help_text="of the users, while on trial"),
                ),
                ("note", models.CharField(blank=True, help_text="why: a reason or where it came from", max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("canary", "canary"),
                            ("published", "published"),
                            ("discarded", "discarded"),
                        ],
                        default="published",
                        max_length=12,
                    ),
                ),
                ("canary_since", models.DateTimeField(help_text="since when it is tried on that share", null=True)),
                (
                    "withdraws",
                    ArrayField(base_field=models.PositiveIntegerField(), default=list, size=None),
                ),
            ],
            options={
                "db_table": "patterns_rule_version",
            },
        ),
        migrations.CreateModel(
            name="Publication",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("tenant_id", models.UUIDField(help_text="where it was asked for, also for what is shared by all")),
                ("author", models.CharField(help_text="who wrote the version", max_length=64)),
                ("asked_by", models.CharField(max_length=64)),
                ("asked_at", models.DateTimeField()),
                ("publish_at", models.DateTimeField(help_text="empty: as soon as it may", null=True)),
                ("needs_second_person", models.BooleanField(default=False)),
                ("approved_by", models.CharField(blank=True, max_length=64)),
                ("approved_at", models.DateTimeField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("scheduled", "scheduled"),
                            ("published", "published"),
                            ("cancelled", "cancelled"),
                            ("refused", "refused"),
                        ],
                        max_length=9,
                    ),
                ),
                ("problem", models.TextField(blank=True, help_text="why it was refused")),
                ("ended_by", models.CharField(blank=True, max_length=64)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "entry_version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="publications",
                        to="patterns.entryversion",
                    ),
                ),
                (
                    "rule_version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="publications",
                        to="patterns.ruleversion",
                    ),
                ),
            ],
            options={
                "db_table": "patterns_publication",
            },
        ),
        migrations.AddConstraint(
            model_name="entryversion",
            constraint=models.UniqueConstraint(
                fields=("entry", "version"), name="patterns_entry_has_each_version_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="entryversion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("draft", "canary"))),
                fields=("entry",),
                name="patterns_entry_has_one_open_version",
            ),
        ),
        migrations.AddConstraint(
            model_name="entryversion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("canary_percent__gt", 0), ("canary_percent__lte", 100), ("state", "canary")),
                    models.Q(models.Q(("state", "canary"), _negated=True), ("canary_percent", 0)),
                    _connector="OR",
                ),
                name="patterns_phrases_on_trial_have_their_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="ruleversion",
            constraint=models.UniqueConstraint(fields=("rule", "version"), name="patterns_rule_has_each_version_once"),
        ),
        migrations.AddConstraint(
            model_name="ruleversion",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("draft", "canary"))),
                fields=("rule",),
                name="patterns_rule_has_one_open_version",
            ),
        ),
        migrations.AddConstraint(
            model_name="ruleversion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("canary_percent__gt", 0), ("canary_percent__lte", 100), ("state", "canary")),
                    models.Q(models.Q(("state", "canary"), _negated=True), ("canary_percent", 0)),
                    _connector="OR",
                ),
                name="patterns_version_on_trial_has_its_share",
            ),
        ),
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(
                condition=models.Q(("state", "scheduled")), fields=["publish_at"], name="patterns_publications_due"
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(("rule_version__isnull", True), ("entry_version__isnull", True), _connector="XOR"),
                name="patterns_publication_is_of_one_version",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("approved_by", ""), models.Q(("approved_by", models.F("author")), _negated=True), _connector="OR"
                ),
                name="patterns_approver_is_not_the_author",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("needs_second_person", False),
                    ("state__in", ("waiting", "cancelled")),
                    models.Q(("approved_by", ""), _negated=True),
                    _connector="OR",
                ),
                name="patterns_second_person_agrees_before_it_is_published",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("waiting", "scheduled"))),
                fields=("rule_version",),
                name="patterns_rule_version_has_one_plan",
            ),
        ),
        migrations.AddConstraint(
            model_name="publication",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("waiting", "scheduled"))),
                fields=("entry_version",),
                name="patterns_entry_version_has_one_plan",
            ),
        ),
    ]
