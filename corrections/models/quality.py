"""How well memory does over time, and what the governor did about it (SPEC Q-2). Figures of tenants; no user data."""

from django.db import models

from memory.models import OfTenant


class QualityTrend(OfTenant):
    """One figure of a tenant at one time. `value` is None where there was nothing to measure."""

    indicator = models.CharField(max_length=40)
    measured_at = models.DateTimeField()
    value = models.FloatField(null=True)
    n = models.BigIntegerField()
    state = models.CharField(max_length=8)
    pass_limit = models.FloatField()
    fail_limit = models.FloatField()
    release = models.CharField(max_length=40)

    class Meta:
        app_label = "corrections"
        db_table = "quality_trend"
        verbose_name = "quality figure"

    def __str__(self) -> str:
        return f"{self.indicator} {self.state}"


class QualityRun(OfTenant):
    """A run of an offline measure: where it stands, or what it found. Counts by language; no user data."""

    indicator = models.CharField(max_length=40)
    share = models.FloatField()
    """Of the users that it looks at: 1 for all, less for a nightly sample."""
    began_at = models.DateTimeField()
    """What it counts as now, however often it is interrupted."""
    worked_at = models.DateTimeField()
    after_id = models.UUIDField(null=True)
    """The last user it has looked at; None before the first, and again once it is finished."""
    users = models.IntegerField(default=0)
    skipped = models.IntegerField(default=0)
    """Users that could not be read."""
    counts = models.JSONField(default=dict)
    """`{"en": [exchanges, those that count against memory]}`"""
    finished_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "corrections"
        db_table = "quality_run"
        verbose_name = "run of an offline measure"

    def __str__(self) -> str:
        return f"{self.indicator} {self.id}"


class GovernorAction(OfTenant):
    """Something the governor did for a tenant. It is open until it is undone, or until its cause is gone."""

    action = models.CharField(max_length=20)
    reason = models.CharField(max_length=40)
    """The indicator that was over its limit."""
    value = models.FloatField()
    touched = models.IntegerField(default=0)
    """How many facts it put in doubt or closed because their day had passed."""
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=80, default="")

    class Meta:
        app_label = "corrections"
        db_table = "governor_action"
        verbose_name = "governor action"

    def __str__(self) -> str:
        return f"{self.action} {self.id}"
