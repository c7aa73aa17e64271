"""Vectors, the models that made them, and the list of those still to be made (D-12, SPEC E-1, E-2)."""

from django.db import models


class EmbeddingModel(models.Model):
    """One way to make vectors. A vector names the model it came from, so two models never meet in one comparison."""

    id = models.SmallAutoField(primary_key=True)
    name = models.CharField(max_length=120)
    dimensions = models.IntegerField()
    is_inline = models.BooleanField()
    outages = models.SmallIntegerField(default=0)
    """Failures in a row that were the provider's; 0 while it works (SPEC E-2)."""
    failing_since = models.DateTimeField(null=True, blank=True)
    resting_until = models.DateTimeField(null=True, blank=True)
    failure_code = models.CharField(max_length=60, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "embedding_model"
        verbose_name = "embedding model"
        constraints = [
            models.UniqueConstraint(fields=["name", "dimensions"], name="a_model_is_known_by_its_name_and_dimensions")
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.dimensions})"


class MessageEmbedding(models.Model):
    """The vector of a message under one model, as the provider gave it. The vector itself is read in SQL alone."""

    message_id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
    model = models.ForeignKey(EmbeddingModel, on_delete=models.PROTECT, db_constraint=False)
    dimensions = models.SmallIntegerField()

    class Meta:
        db_table = "message_embedding"
        verbose_name = "vector"

    def __str__(self) -> str:
        return str(self.message_id)


class EmbeddingTask(models.Model):
    """A vector to be made. Priority 0 high, 1 normal, 2 recovery; an orphan was tried three times (SPEC E-2)."""

    message_id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
    model = models.ForeignKey(EmbeddingModel, on_delete=models.PROTECT, db_constraint=False)
    priority = models.SmallIntegerField(default=1)
    attempts = models.SmallIntegerField(default=0)
    available_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True, blank=True)
    orphaned_at = models.DateTimeField(null=True, blank=True)
    received_at = models.DateTimeField()

    class Meta:
        db_table = "embedding_task"
        verbose_name = "embedding task"

    def __str__(self) -> str:
        return str(self.message_id)


class SpanThreshold(models.Model):
    """How near to the question a neighbour must be to pass the privacy guard, for one model and language (D-19)."""

    id = models.SmallAutoField(primary_key=True)
    model = models.ForeignKey(EmbeddingModel, on_delete=models.PROTECT, db_constraint=False)
    language = models.CharField(max_length=16)
    threshold = models.FloatField()
    calibrated_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "span_threshold"
        verbose_name = "span threshold"
        constraints = [
            models.UniqueConstraint(fields=["model", "language"], name="a_model_has_one_threshold_per_language")
        ]

    def __str__(self) -> str:
        return f"{self.model_id} {self.language} {self.threshold:.2f}"
