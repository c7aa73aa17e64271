"""Requests of privacy desks and the calls that tell of them. The real keys start with the tenant (D-10)."""

from __future__ import annotations

from django.db import models

from memory.models.base import OfTenant


class PrivacyRequest(OfTenant):
    """One request about one person. Kept for good: it is the record that it was done."""

    subject_request_id = models.UUIDField("request id", editable=False)
    """The privacy desk's own id; unique in its tenant."""
    kind = models.CharField("type", max_length=12)
    regulation = models.CharField(max_length=8)
    user_id = models.UUIDField(null=True)
    """None where nothing was stored of the person when the request came."""
    status = models.CharField(max_length=12, default="pending")
    fingerprint = models.BinaryField(max_length=32)
    """An HMAC of what was asked, to tell a repeat from another request under the same id."""
    actor = models.CharField(max_length=60)
    submitted_at = models.DateTimeField()
    received_at = models.DateTimeField()
    deadline_at = models.DateTimeField("deadline")
    available_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    attempts = models.IntegerField(default=0)
    failure = models.CharField(max_length=60, blank=True, default="")
    """Code of the last failed attempt; empty when it went well."""
    finished_at = models.DateTimeField(null=True)
    erasure_id = models.UUIDField(null=True)
    results_count = models.BigIntegerField(null=True)
    results_until = models.DateTimeField(null=True)

    class Meta:
        db_table = "privacy_request"
        verbose_name = "privacy request"


class PrivacyCallback(OfTenant):
    """A change of status on its way to one address of the privacy desk."""

    request_id = models.UUIDField()
    url = models.CharField(max_length=2000)
    status = models.CharField(max_length=12)
    """What the request became."""
    state = models.CharField(max_length=10, default="waiting")
    attempts = models.IntegerField(default=0)
    available_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    http_status = models.IntegerField(null=True)
    error = models.CharField(max_length=40, blank=True, default="")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "privacy_callback"
        verbose_name = "callback"
