"""Work on the facts of a rule, user by user, in the background: what it is, how far it is, what came of it."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.base import OfTenant


class FactJob(OfTenant):
    """One such work. Codes and counts; `cursor_id` is the user after whom it goes on, empty when it is over."""

    kind = models.CharField(max_length=8)
    """close, reopen, preview (of a new reading) or reread"""
    rule = models.CharField(max_length=120)
    rule_versions = ArrayField(models.IntegerField())
    of_job_id = models.UUIDField(null=True)
    """For `reopen` the closing that it undoes, for `reread` the preview that showed what it does."""
    has_all_users = models.BooleanField(default=False)
    """Whether all users of the tenant are read anew, not only those who have facts of the rule."""
    state = models.CharField(max_length=9, default="queued")
    requested_by = models.CharField(max_length=80)
    users_total = models.IntegerField(null=True)
    users_done = models.IntegerField(default=0)
    users_left_out = models.IntegerField(default=0)
    """Users who were busy or being erased, or whose facts no key opens."""
    counts = models.JSONField(default=dict)
    error_code = models.CharField(max_length=40, blank=True, default="")
    cursor_id = models.UUIDField(null=True)
    created_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "memory"
        db_table = "memory_fact_job"
        verbose_name = "task on facts"
        verbose_name_plural = "tasks on facts"
