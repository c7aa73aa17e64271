"""Snippets: short indexes of messages for finding one's way, never trusted (SPEC T-3, E-3)."""

from django.db import models


class MessageSnippet(models.Model):
    """At most 120 characters that say what a message is about, and the model that wrote them."""

    message_id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)
    user_id = models.UUIDField(editable=False)
    snippet = models.CharField(max_length=120)
    model = models.CharField(max_length=120)
    created_at = models.DateTimeField()

    class Meta:
        db_table = "message_snippet"
        verbose_name = "snippet"

    def __str__(self) -> str:
        return str(self.message_id)
