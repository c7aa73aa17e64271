"""Rows of access. The directory of tenants and the staff memberships have no row-level security: they are read before a
tenant is known and hold names and roles only. Keys and audit events have it (D-14)."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from memory.ids import new_id
from memory.tenants.types import ActorType, Role, Scope


class Tenant(models.Model):
    """A customer of the service: owns keys, settings, users and patterns of its own."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.SlugField(max_length=63, unique=True)
    name = models.CharField(max_length=200)
    timezone = models.CharField(max_length=64, default="Asia/Dubai")
    settings = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "tenant"
        constraints = [
            models.CheckConstraint(
                condition=Q(slug__regex=r"^[a-z0-9][a-z0-9-]*$"), name="tenant_slug_is_lower_case_letters_digits_dashes"
            ),
        ]
        # Given to the groups of the four roles; a view asks for one of these and for a membership in the tenant.
        permissions = [
            ("review_facts", "Judge facts in the review queue"),
            ("view_user_memory", "See what a user said and what is known about them"),
            ("edit_patterns", "Write and publish patterns"),
            ("operate", "Manage keys, erasures and schedules"),
            ("audit", "Read receipts, the audit trail and quality figures"),
        ]

    def __str__(self) -> str:
        return self.slug


class ApiKey(models.Model):
    """A tenant's key to the API. The key itself is not stored, only its SHA-256 (256 random bits need no salt)."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="api_keys")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=16, editable=False)
    key_hash = models.BinaryField(max_length=32, editable=False)
    scopes = ArrayField(models.CharField(max_length=16, choices=[(scope.value, scope.value) for scope in Scope]))
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True)
    # A key for one user means this user in every way in (D-40). The database holds it to `memory_user`.
    user_id = models.UUIDField(null=True, blank=True, editable=False)
    user_position = models.PositiveSmallIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_used_at = models.DateTimeField(null=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "api_key"
        indexes = [
            # The keys of one user: their list, and their end with the user.
            models.Index(fields=["user_id"], condition=~Q(user_id=None), name="api_keys_of_a_user"),
        ]
        constraints = [
            # Two users may both have a key "phone"; the keys of the tenant itself are one group.
            models.UniqueConstraint(
                fields=["tenant", "user_id", "name"],
                condition=Q(revoked_at=None),
                nulls_distinct=False,
                name="api_key_name_is_unique_among_working_keys",
            ),
            # Finds the key of a request (find_api_key_v2).
            models.UniqueConstraint(
                fields=["key_hash"], condition=Q(revoked_at=None), name="api_key_secret_is_unique_among_working_keys"
            ),
            models.CheckConstraint(
                condition=Q(scopes__contained_by=[scope.value for scope in Scope]) & Q(scopes__len__gt=0),
                name="api_key_has_known_scopes",
            ),
            models.CheckConstraint(
                condition=Q(user_id=None) | Q(user_position=None), name="a_key_for_one_user_needs_no_position"
            ),
            models.CheckConstraint(
                condition=Q(user_position=None) | Q(user_position__lt=20), name="a_position_is_within_a_namespace"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.prefix}…"


class StaffMembership(models.Model):
    """One role of a staff user in one tenant; without a tenant it is the operator of the installation."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    staff_user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="staff_memberships")
    tenant = models.ForeignKey(
        Tenant, on_delete=models.CASCADE, null=True, blank=True, related_name="staff_memberships"
    )
    role = models.CharField(max_length=16, choices=[(role.value, role.value.replace("_", " ")) for role in Role])
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        db_table = "staff_membership"
        constraints = [
            models.UniqueConstraint(
                fields=["staff_user", "tenant", "role"],
                nulls_distinct=False,
                name="staff_user_has_a_role_once_a_tenant",
            ),
            models.CheckConstraint(
                condition=Q(tenant__isnull=False) | Q(role=Role.OPERATOR.value), name="only_operators_have_no_tenant"
            ),
            models.CheckConstraint(condition=Q(role__in=[role.value for role in Role]), name="staff_role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.staff_user_id}"


class AuditEvent(models.Model):
    """What somebody did, when and to which objects, as ids and codes. A trigger refuses changes and deletion.

    `chain_hash` is null until the daily job seals the day (D-29); setting it is the only change the trigger allows.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    # Bare: the trail outlives its tenant, and the installation itself has no row.
    tenant_id: models.UUIDField[UUID, UUID] = models.UUIDField()
    happened_at = models.DateTimeField()
    actor_type = models.CharField(max_length=8, choices=[(kind.value, kind.value) for kind in ActorType])
    actor_id = models.CharField(max_length=64)
    action = models.CharField(max_length=64)
    object_type = models.CharField(max_length=32, blank=True)
    object_ids = ArrayField(models.UUIDField(), default=list, blank=True)
    chain_hash = models.BinaryField(max_length=32, null=True, editable=False)

    class Meta:
        db_table = "audit_event"
        indexes = [
            # The trail of a tenant, newest first (admin, export), and the daily seal in time order.
            models.Index(fields=["tenant_id", "happened_at", "id"], name="audit_event_by_tenant_and_time"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(action__regex=r"^[a-z_]+(\.[a-z_]+)*$"), name="audit_action_is_a_code"),
            models.CheckConstraint(
                condition=Q(actor_type__in=[kind.value for kind in ActorType]), name="audit_actor_type_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.id}"

    @property
    def actor_code(self) -> str:
        """Who did it, as other rows name them: `staff:7`, `api_key:<id>`."""
        return f"{self.actor_type}:{self.actor_id}"
