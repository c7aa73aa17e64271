"""How far a night's calibration of a tenant has come, and what it did (SPEC P-9). Counts; no user data."""

from django.db import models

from memory.models import OfTenant


class CalibrationNight(OfTenant):
    """One night of a tenant. After an interruption it goes on after `last_user_id`."""

    night = models.DateField()
    """The day (UTC) on which it began."""
    began_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    last_user_id = models.UUIDField(null=True)
    """The last user who had their turn; None before the first and after the last."""
    users = models.IntegerField(default=0)
    left_out = models.IntegerField(default=0)
    """Users who were busy: they have their turn the next night."""
    raised = models.IntegerField(default=0)
    lowered = models.IntegerField(default=0)
    to_remove = models.IntegerField(default=0)
    """Facts that fell under the limit at which a person decides."""
    merged = models.IntegerField(default=0)
    """Tastes and habits that were made of several alike."""

    class Meta:
        app_label = "corrections"
        db_table = "calibration_night"
        verbose_name = "night of calibration"

    def __str__(self) -> str:
        return f"{self.tenant_id} {self.night}"
