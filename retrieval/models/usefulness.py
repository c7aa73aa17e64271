"""How useful what packs carried turned out to be, in versions (SPEC C-4, S-3, D-17, D-22)."""

from django.db import models


class RankingSnapshot(models.Model):
    """One nightly fold of a user's signals. Packs name the version they were ranked by."""

    user_id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    version = models.IntegerField()
    made_at = models.DateTimeField()
    signals = models.IntegerField()

    class Meta:
        db_table = "ranking_snapshot"
        verbose_name = "ranking snapshot"

    def __str__(self) -> str:
        return f"{self.user_id} {self.version}"


class Usefulness(models.Model):
    """The usefulness of a message or a fact, 0 to 1, from one version until before another."""

    item_id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
    is_fact = models.BooleanField()
    from_version = models.IntegerField()
    until_version = models.IntegerField(null=True, blank=True)
    score = models.FloatField()
    weight = models.FloatField()

    class Meta:
        db_table = "usefulness"
        verbose_name = "usefulness"
        verbose_name_plural = "usefulness"

    def __str__(self) -> str:
        return str(self.item_id)
