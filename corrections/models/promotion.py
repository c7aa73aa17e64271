"""What several users have in common, proposed for the tenant's knowledge (SPEC N-8, D-50)."""

from django.db import models

from memory.models import OfTenant, OfUser


class PromotionProposal(OfTenant):
    """A value that facts of at least three users share. It names no user; a person decides about it."""

    knowledge_type = models.CharField(max_length=40)
    value = models.CharField(max_length=200)
    confidence = models.FloatField()
    seen = models.IntegerField()
    users = models.IntegerField()
    sessions = models.IntegerField()
    conflict = models.FloatField()
    """The share of users who hold something else, or whose fact is in doubt."""
    state = models.CharField(max_length=8, default="pending")
    corpus = models.CharField(max_length=128, blank=True, default="")
    """The corpus that an accepted one was written into, by the tenant's own id."""
    staff_id = models.BigIntegerField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        db_table = "promotion_proposal"


class PromotionEvidence(OfUser):
    """That a user's fact stands behind a proposal. Which fact is sealed with the user's key. Nobody is shown this."""

    proposal_id = models.UUIDField(editable=False)
    sealed = models.BinaryField()
    seen = models.IntegerField()
    found_at = models.DateTimeField()

    class Meta:
        db_table = "promotion_evidence"
