"""The table of the wing. The database's own key is `(tenant_id, id)`."""

from __future__ import annotations

from django.db import models

from memory.models.base import OfTenant


class RetentionRun(OfTenant):
    """One night of a tenant: how far it is, and what went. Counts and ids, nothing of what went."""

    began_at = models.DateTimeField()
    """What counts as over its age is what was so at this moment."""
    last_user_id = models.UUIDField(null=True)
    """The last user who was looked at: where an interrupted run goes on."""
    users = models.IntegerField(default=0)
    messages = models.BigIntegerField(default=0)
    items = models.BigIntegerField(default=0)
    skipped = models.IntegerField(default=0)
    """Users who were busy: their turn comes with the next run."""
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "retention_run"
        verbose_name = "retention run"
