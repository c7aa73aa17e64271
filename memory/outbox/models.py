"""Events and their deliveries. Django's state says `id`; the real keys start with the tenant."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.base import OfTenant


class EventCounter(models.Model):
    """The last number that was given to a user's events, or (`owner_id` is the tenant) to the feed."""

    owner_id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    last_number = models.BigIntegerField()

    class Meta:
        db_table = "memory_event_counter"

    def __str__(self) -> str:
        return str(self.owner_id)


class Event(OfTenant):
    """One thing that happened, as ids and codes."""

    user_id = models.UUIDField(null=True)
    """None for what concerns no user, and for what outlives one (`erasure.completed`)."""
    user_seq = models.BigIntegerField(null=True)
    """Counts a user's events from 1, without a gap."""
    type = models.CharField(max_length=40)
    message_id = models.UUIDField(null=True)
    data = models.JSONField()
    recorded_at = models.DateTimeField()
    number = models.BigIntegerField(null=True)
    """The place in the tenant's feed; None until it has one."""

    class Meta:
        db_table = "memory_event"


class WebhookEndpoint(OfTenant):
    """An address that wants to hear of events. `events` are types, `fact.*` or `*`."""

    external_id = models.CharField("id", max_length=128)
    url = models.CharField("URL", max_length=2000)
    events = ArrayField(models.CharField(max_length=40))
    description = models.CharField(max_length=200, blank=True, default="")
    secret = models.BinaryField()
    """Wrapped by the master key."""
    former_secret = models.BinaryField(null=True)
    former_until = models.DateTimeField(null=True)
    """Until then each delivery is signed with both secrets."""
    rotation_digest = models.BinaryField(max_length=32, null=True)
    """Of the Idempotency-Key under which the secret was made, if any."""
    disabled_at = models.DateTimeField(null=True)
    disabled_reason = models.CharField(max_length=20, blank=True, default="")
    failing_since = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "webhook_endpoint"
        verbose_name = "webhook"

    def __str__(self) -> str:
        return self.external_id


class WebhookDelivery(OfTenant):
    """One event on its way to one address."""

    endpoint_id = models.UUIDField()
    event_id = models.UUIDField()
    state = models.CharField(max_length=10, default="waiting")
    attempts = models.IntegerField(default=0)
    available_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    status = models.IntegerField(null=True)
    """HTTP status of the last answer."""
    error = models.CharField(max_length=40, blank=True, default="")
    """Code of the last failure."""
    duration_ms = models.IntegerField(null=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "webhook_delivery"
        verbose_name = "delivery"
        verbose_name_plural = "deliveries"
