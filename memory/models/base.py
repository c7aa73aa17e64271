"""What the rows of most tables begin with: an id, whose tenant they are in, whose user they are of."""

from django.db import models


class OfTenant(models.Model):
    """A row of a tenant. It is named by its id alone: texts of users appear in no name."""

    id = models.UUIDField(primary_key=True, editable=False)
    tenant_id = models.UUIDField(editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(self.pk)


class OfUser(OfTenant):
    """A row of a user: it needs row-level security, an eraser and an exporter."""

    user_id = models.UUIDField(editable=False)

    class Meta:
        abstract = True
