"""Tables of the wing. Words are sealed (D-15); keys start with the user (D-10), Django sees `id`."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.base import OfUser


class Episode(OfUser):
    """One topical block of a session. Where it is cut and what it holds follow from messages; layers from the night."""

    """Made of the user's id and that of the first message: the same cut has the same id (D-44)."""
    conversation_id = models.UUIDField(editable=False)
    session_started_at = models.DateTimeField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    message_count = models.IntegerField()
    sealed = models.BinaryField()
    made_by = models.CharField(max_length=120, blank=True, default="")
    """The model that put it into words; empty where they are taken from the messages alone."""
    version = models.IntegerField()
    """Of the recipe that cut it (`memory.episodes.recipe`)."""
    is_kept = models.BooleanField(default=False)
    """Somebody said or asked that it be kept: an anchor that follows from the two logs."""
    layer = models.CharField(max_length=4, default="hot")
    priority = models.FloatField(default=0.3)
    parts = ArrayField(models.FloatField(), default=list)
    """Recency, frequency, anchor, likeness: what the priority is the sum of."""
    anchored_by = ArrayField(models.CharField(max_length=16), default=list)
    """Why it is an anchor, beside `is_kept`: profile, project, instructions."""
    access_count = models.IntegerField(default=0)
    last_accessed_at = models.DateTimeField(null=True, blank=True)
    continues_from = models.UUIDField(null=True, blank=True)
    related_to = ArrayField(models.UUIDField(), default=list)
    cut_at = models.DateTimeField()
    worded_at = models.DateTimeField(null=True, blank=True)
    """When a model was asked to put it into words."""
    layered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "episode"


class EpisodeMessage(models.Model):
    """Which episode holds a message, and at which place."""

    message_id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
    episode_id = models.UUIDField()
    place = models.SmallIntegerField()

    class Meta:
        db_table = "episode_message"

    def __str__(self) -> str:
        return str(self.message_id)


class EpisodeAccess(models.Model):
    """That an episode was opened on a day. Nothing else follows from it before the night (D-43)."""

    episode_id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
    day = models.DateField()
    accesses = models.IntegerField()
    last_at = models.DateTimeField()

    class Meta:
        db_table = "episode_access"

    def __str__(self) -> str:
        return str(self.episode_id)
