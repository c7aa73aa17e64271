"""Rows of the rules. They hold no user data; a row without a tenant is shared, a tenant's own is filtered by its id."""

from __future__ import annotations

import uuid
from typing import Final

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from patterns.rule import KNOWLEDGE_TYPES, LANGUAGES, PURPOSES

SIDES = ("after", "before", "both", "none")
ROW_STATES = ("draft", "published", "quarantined")
VERSION_STATES = ("draft", "canary", "published", "discarded")
OPEN_STATES = ("draft", "canary")
PUBLICATION_STATES = ("waiting", "scheduled", "published", "cancelled", "refused")
PLANNED_STATES = ("waiting", "scheduled")


def _choices(values: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(value, value.replace("_", " ")) for value in values]


class Rule(models.Model):
    """One trigger of the instant step (SPEC I-2). Text fields are in the spelling of the normaliser."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.SlugField(max_length=80)
    tenant_id = models.UUIDField(null=True, blank=True, help_text="empty: shared by all tenants")
    knowledge_type = models.CharField(max_length=20, choices=_choices(KNOWLEDGE_TYPES))
    language = models.CharField(max_length=10, choices=_choices(LANGUAGES))
    purpose = models.CharField(max_length=12, choices=_choices(PURPOSES), default="extract")
    kind = models.CharField(max_length=20, blank=True, help_text="what sort of statement the trigger opens")
    pattern = models.TextField(blank=True, help_text="RE2 syntax over normalised text; whole words")
    category = models.CharField(max_length=40, blank=True, help_text="instead of a pattern: a vocabulary category")
    object_side = models.CharField(max_length=6, choices=_choices(SIDES), default="after")
    is_active = models.BooleanField(default=True)
    rollout_percent = models.PositiveSmallIntegerField(default=100)
    version = models.PositiveIntegerField(default=1)
    positive_examples = ArrayField(models.TextField(), default=list)
    negative_examples = ArrayField(models.TextField(), default=list)
    literals = ArrayField(models.TextField(), default=list, blank=True, editable=False)
    pack = models.CharField(max_length=40, blank=True, editable=False)
    pack_digest = models.CharField(max_length=64, blank=True, editable=False)
    state = models.CharField(max_length=12, choices=_choices(ROW_STATES), default="published", editable=False)
    """draft: no version of it was ever in force; its columns show the draft and count for nothing."""
    quarantine_reason = models.CharField(max_length=200, blank=True, editable=False)
    changed_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "patterns_rule"
        constraints = [
            models.UniqueConstraint(
                fields=["slug"], condition=Q(tenant_id__isnull=True), name="patterns_shared_rule_has_its_slug_alone"
            ),
            models.UniqueConstraint(fields=["tenant_id", "slug"], name="patterns_tenant_rule_has_its_slug_alone"),
            models.CheckConstraint(
                condition=Q(pattern="") ^ Q(category=""), name="patterns_rule_fires_by_pattern_or_by_category"
            ),
            models.CheckConstraint(
                condition=Q(rollout_percent__lte=100), name="patterns_rule_is_rolled_out_to_at_most_all"
            ),
            models.CheckConstraint(
                condition=Q(positive_examples__len__gt=0, negative_examples__len__gt=0),
                name="patterns_rule_has_examples_of_both_kinds",
            ),
        ]

    def __str__(self) -> str:
        return self.slug


HAS_ITS_SHARE: Final = Q(state="canary", canary_percent__gt=0, canary_percent__lte=100) | (
    ~Q(state="canary") & Q(canary_percent=0)
)
"""A version has a share of the users while it is on trial, and then alone."""


class _Version(models.Model):
    """One content of a rule or an entry, as it was written."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.PositiveIntegerField()
    content = models.JSONField()
    changed_by = models.CharField(max_length=64, help_text="a pack's name or a staff user's id")
    changed_at = models.DateTimeField(db_default=Now())
    state = models.CharField(max_length=12, choices=_choices(VERSION_STATES), default="published")
    """published: it is or was in force for all; the one in force has the number of the rule or entry."""
    canary_percent = models.PositiveSmallIntegerField(default=0, help_text="of the users, while on trial")
    canary_since = models.DateTimeField(null=True, help_text="since when it is tried on that share")

    class Meta:
        abstract = True


class RuleVersion(_Version):
    """One version of a rule: former, active or draft. The content of a row never changes, its state does."""

    rule = models.ForeignKey(Rule, on_delete=models.CASCADE, related_name="versions")
    note = models.CharField(max_length=200, blank=True, help_text="why: a reason or where it came from")
    withdraws = ArrayField(models.PositiveIntegerField(), default=list)
    """Versions that this one took back: what they taught rests on a mistake. A trial that was ended names itself."""

    class Meta:
        db_table = "patterns_rule_version"
        constraints = [
            models.UniqueConstraint(fields=["rule", "version"], name="patterns_rule_has_each_version_once"),
            models.UniqueConstraint(
                fields=["rule"], condition=Q(state__in=OPEN_STATES), name="patterns_rule_has_one_open_version"
            ),
            models.CheckConstraint(
                condition=HAS_ITS_SHARE,
                name="patterns_version_on_trial_has_its_share",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rule_id} version {self.version}"


class LexiconEntry(models.Model):
    """One canonical value of a category with its spellings in one language.

    With a category "reply.…": phrases by which replies correct memory, `canonical` is what they say (SPEC C-1).
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    category = models.CharField(max_length=40)
    canonical = models.CharField(max_length=80)
    language = models.CharField(max_length=10, choices=_choices(LANGUAGES))
    tenant_id = models.UUIDField(null=True, blank=True, help_text="empty: shared by all tenants")
    aliases = ArrayField(models.TextField(), default=list)
    forms = ArrayField(models.TextField(), default=list, blank=True, help_text="inflected forms, written out")
    is_active = models.BooleanField(default=True)
    pack = models.CharField(max_length=40, blank=True, editable=False)
    pack_digest = models.CharField(max_length=64, blank=True, editable=False)
    version = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=12, choices=_choices(ROW_STATES), default="published", editable=False)
    quarantine_reason = models.CharField(max_length=200, blank=True, editable=False)
    changed_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "patterns_lexicon_entry"
        verbose_name_plural = "lexicon entries"
        constraints = [
            models.UniqueConstraint(
                fields=["category", "canonical", "language"],
                condition=Q(tenant_id__isnull=True),
                name="patterns_shared_word_stands_once",
            ),
            models.UniqueConstraint(
                fields=["tenant_id", "category", "canonical", "language"], name="patterns_tenant_word_stands_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.category}/{self.canonical} ({self.language})"


class ReplyPhrases(LexiconEntry):
    """The same rows, those of replies: a list of their own in the console."""

    class Meta:
        proxy = True
        verbose_name = "reply phrases"
        verbose_name_plural = "reply phrases"


class EntryVersion(_Version):
    """What an entry of the lexicon was, is or may become.

    All rules share words, so that these are never on trial for some users; phrases of replies can be.
    """

    entry = models.ForeignKey(LexiconEntry, on_delete=models.CASCADE, related_name="versions")
    note = models.CharField(max_length=200, blank=True)

    class Meta:
        db_table = "patterns_entry_version"
        constraints = [
            models.UniqueConstraint(fields=["entry", "version"], name="patterns_entry_has_each_version_once"),
            models.UniqueConstraint(
                fields=["entry"], condition=Q(state__in=OPEN_STATES), name="patterns_entry_has_one_open_version"
            ),
            models.CheckConstraint(
                condition=HAS_ITS_SHARE,
                name="patterns_phrases_on_trial_have_their_share",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} version {self.version}"


class Publication(models.Model):
    """A version on its way into force: who asked, who agreed, when it is due. A version has one open at a time."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant_id = models.UUIDField(help_text="where it was asked for, also for what is shared by all")
    rule_version = models.ForeignKey(RuleVersion, on_delete=models.CASCADE, null=True, related_name="publications")
    entry_version = models.ForeignKey(EntryVersion, on_delete=models.CASCADE, null=True, related_name="publications")
    author = models.CharField(max_length=64, help_text="who wrote the version")
    asked_by = models.CharField(max_length=64)
    asked_at = models.DateTimeField()
    publish_at = models.DateTimeField(null=True, help_text="empty: as soon as it may")
    needs_second_person = models.BooleanField(default=False)
    approved_by = models.CharField(max_length=64, blank=True)
    approved_at = models.DateTimeField(null=True)
    state = models.CharField(max_length=9, choices=_choices(PUBLICATION_STATES))
    """waiting: for a second person; scheduled: for its time; refused: it failed the checks when it was due."""
    problem = models.TextField(blank=True, help_text="why it was refused")
    ended_by = models.CharField(max_length=64, blank=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "patterns_publication"
        indexes = [
            # Serves: what is due, for the scheduler.
            models.Index(fields=["publish_at"], condition=Q(state="scheduled"), name="patterns_publications_due")
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(rule_version__isnull=True) ^ Q(entry_version__isnull=True),
                name="patterns_publication_is_of_one_version",
            ),
            models.CheckConstraint(
                condition=Q(approved_by="") | ~Q(approved_by=F("author")),
                name="patterns_approver_is_not_the_author",
            ),
            models.CheckConstraint(
                condition=Q(needs_second_person=False) | Q(state__in=("waiting", "cancelled")) | ~Q(approved_by=""),
                name="patterns_second_person_agrees_before_it_is_published",
            ),
            models.UniqueConstraint(
                fields=["rule_version"],
                condition=Q(state__in=PLANNED_STATES),
                name="patterns_rule_version_has_one_plan",
            ),
            models.UniqueConstraint(
                fields=["entry_version"],
                condition=Q(state__in=PLANNED_STATES),
                name="patterns_entry_version_has_one_plan",
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def version(self) -> RuleVersion | EntryVersion:
        """What is to be published."""
        version = self.rule_version or self.entry_version
        assert version is not None
        return version


class RuleSetVersion(models.Model):
    """The one row that says which version of rules and words is in force; processes poll it (SPEC I-2)."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    version = models.PositiveBigIntegerField(default=1)
    pack_digests = models.JSONField(default=dict)
    raised_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "patterns_rule_set_version"
        constraints = [models.CheckConstraint(condition=Q(id=1), name="patterns_there_is_one_version_row")]

    def __str__(self) -> str:
        return f"version {self.version}"


class RejectionCount(models.Model):
    """How often a step refused a rule's trigger on a day: tells staff which guard eats recall."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant_id = models.UUIDField(null=True, blank=True)
    rule = models.CharField(max_length=80)
    rule_version = models.PositiveIntegerField(default=0, help_text="0: counted before versions were told apart")
    reason = models.CharField(max_length=40)
    day = models.DateField()
    count = models.PositiveBigIntegerField(default=0)

    class Meta:
        db_table = "patterns_rejection_count"
        constraints = [
            models.UniqueConstraint(
                fields=["tenant_id", "day", "rule", "rule_version", "reason"],
                nulls_distinct=False,
                name="patterns_refusals_are_counted_once_a_day",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rule}: {self.reason}"
