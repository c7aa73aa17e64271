"""Tenants, keys, staff, roles and the audit trail. Every change goes through the services, which audit it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoStaffUserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from memory.errors import CodedError
from memory.tenants.access import get_access, has_permission, is_installation_staff
from memory.tenants.admin_base import (
    ConsoleAdmin,
    IdHistory,
    LongListAdmin,
    NamedActors,
    TenantRows,
    show_badge,
    show_id,
)
from memory.tenants.forms import KeyForm
from memory.tenants.models import ApiKey, AuditEvent, StaffMembership, Tenant
from memory.tenants.services.keys import create_key, revoke_key
from memory.tenants.services.staff import grant_role, revoke_role
from memory.tenants.services.tenants import check_timezone, create_tenant
from memory.tenants.types import Role
from patterns.admin_rows import FoundRows

admin.site.unregister(Group)  # The groups are the four roles, made by a migration.
admin.site.unregister(User)


class TenantForm(forms.ModelForm):  # type: ignore[type-arg]  # takes no arguments where it runs
    """A new tenant; its time zone decides when "tomorrow" is."""

    class Meta:
        model = Tenant
        fields = ("slug", "name", "timezone")

    def clean_timezone(self) -> str:
        name: str = self.cleaned_data["timezone"]
        try:
            check_timezone(name)
        except CodedError as error:
            raise ValidationError(error.fields.get("timezone", error.message)) from None
        return name


@admin.register(Tenant)
class TenantAdmin(ConsoleAdmin):
    view_permissions = ("operate",)
    form = TenantForm
    list_display = ("slug", "name", "timezone", "created_at")
    ordering = ("slug",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tenant]:
        return super().get_queryset(request).filter(id__in=[tenant.id for tenant in get_access(request).tenants])

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_installation_staff(request)

    def save_model(self, request: HttpRequest, obj: Tenant, form: Any, change: bool) -> None:
        made = create_tenant(
            slug=obj.slug,
            name=obj.name,
            timezone=obj.timezone,
            actor=get_access(request).actor,
            now=timezone.now(),
        )
        obj.id = made.id


@admin.register(ApiKey)
class ApiKeyAdmin(ConsoleAdmin):
    view_permissions = ("operate",)
    list_before_template = "console/list_button.html"
    list_display = ("name", "shown_prefix", "state", "shown_scopes", "requests_per_minute", "last_used_at", "revoking")
    list_display_links = None
    ordering = ("-created_at", "-id")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("new/", view(self.make_key), name="tenants_apikey_new"),
            path("<uuid:key_id>/revoke/", view(self.revoke), name="tenants_apikey_revoke"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(
            request, {**(extra_context or {}), "primary_link": (reverse("admin:tenants_apikey_new"), "New key")}
        )

    def make_key(self, request: HttpRequest) -> HttpResponseBase:
        """Make a key and show it: this page is its only sight, it is neither stored nor put into a cookie."""
        if not has_permission(request, "operate"):
            raise PermissionDenied
        form = KeyForm(request.POST or None)
        made = None
        if request.method == "POST" and form.is_valid():
            try:
                made = create_key(
                    tenant=get_access(request).tenant,
                    actor=get_access(request).actor,
                    now=timezone.now(),
                    **form.cleaned_data,
                )
            except CodedError as error:
                form.add_error(None, error.message)
        context = {**self.admin_site.each_context(request), "title": "New API key", "form": form, "made": made}
        response = TemplateResponse(request, "console/new_key.html", context)
        response["Cache-Control"] = "no-store"
        return response

    def revoke(self, request: HttpRequest, key_id: Any) -> HttpResponseBase:
        """Ask, then stop the key for good."""
        access = get_access(request)
        if not has_permission(request, "operate"):
            raise PermissionDenied
        key = ApiKey.objects.filter(tenant_id=access.tenant.id, id=key_id).first()
        if key is None:
            raise Http404
        if request.method == "POST":
            revoke_key(tenant_id=access.tenant.id, key_id=key.id, actor=access.actor, now=timezone.now())
            messages.success(request, f"Key {key.prefix}… is revoked.")
            return redirect("admin:tenants_apikey_changelist")
        context = {
            **self.admin_site.each_context(request),
            "title": f"Revoke the key {key.prefix}…",
            "sentence": "Every further request with this key is refused. This cannot be undone.",
            "button": "Revoke",
            "back_url": reverse("admin:tenants_apikey_changelist"),
        }
        return TemplateResponse(request, "console/confirm.html", context)

    @display(description="Key", ordering="prefix")
    def shown_prefix(self, key: ApiKey) -> SafeString:
        return format_html("<code>{}…</code>", key.prefix)

    @display(description="Scopes")
    def shown_scopes(self, key: ApiKey) -> str:
        return ", ".join(key.scopes)

    @display(description="State")
    def state(self, key: ApiKey) -> SafeString:
        if key.revoked_at:
            return show_badge("revoked", "bad")
        if key.expires_at and key.expires_at <= timezone.now():
            return show_badge("expired", "warn")
        return show_badge("works", "good")

    @display(description="Revoke")
    def revoking(self, key: ApiKey) -> SafeString | str:
        if key.revoked_at:
            return ""
        return format_html(
            '<a class="quiet-link" href="{}">Revoke</a>', reverse("admin:tenants_apikey_revoke", args=[key.id])
        )


@admin.register(StaffMembership)
class StaffMembershipAdmin(ConsoleAdmin):
    view_permissions = ("operate",)
    fields = ("staff_user", "tenant", "role")
    list_display = ("staff_user", "role_badge", "shown_tenant", "created_at")
    list_filter = ("role",)
    ordering = ("staff_user", "role")

    def get_queryset(self, request: HttpRequest) -> QuerySet[StaffMembership]:
        rows = super().get_queryset(request).select_related("staff_user", "tenant")
        return rows if is_installation_staff(request) else rows.filter(tenant_id=get_access(request).tenant.id)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_installation_staff(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_installation_staff(request)

    def save_model(self, request: HttpRequest, obj: StaffMembership, form: Any, change: bool) -> None:
        grant_role(
            user=obj.staff_user,
            role=Role(obj.role),
            tenant=obj.tenant,
            actor=get_access(request).actor,
            now=timezone.now(),
        )
        made = StaffMembership.objects.get(staff_user=obj.staff_user, tenant=obj.tenant, role=obj.role)
        obj.id = made.id

    def delete_model(self, request: HttpRequest, obj: StaffMembership) -> None:
        revoke_role(
            user=obj.staff_user,
            role=Role(obj.role),
            tenant=obj.tenant,
            actor=get_access(request).actor,
            now=timezone.now(),
        )

    @display(description="Role", ordering="role")
    def role_badge(self, membership: StaffMembership) -> SafeString:
        return show_badge(membership.role.replace("_", " "), "info")

    @display(description="Tenant", ordering="tenant__slug")
    def shown_tenant(self, membership: StaffMembership) -> str:
        return membership.tenant.slug if membership.tenant else "the installation"


@admin.register(AuditEvent)
class AuditEventAdmin(NamedActors, TenantRows, LongListAdmin):
    view_permissions = ("audit",)
    list_display = ("happened_at", "shown_actor", "action", "object_type", "objects", "sealed")
    list_display_links = None
    list_filter = ("actor_type", "action")
    search_fields = ("action__startswith", "actor_id__exact")
    search_help_text = "The beginning of an action code, or the id of a person or key"
    ordering = ("-happened_at", "-id")

    @staticmethod
    def get_actor_code(row: AuditEvent) -> str:
        return row.actor_code

    @display(description="Objects")
    def objects(self, event: AuditEvent) -> SafeString | str:
        if not event.object_ids:
            return "–"
        more = f" +{len(event.object_ids) - 1}" if len(event.object_ids) > 1 else ""
        return format_html("{}{}", show_id(event.object_ids[0]), more)

    @display(description="Chain")
    def sealed(self, event: AuditEvent) -> SafeString:
        return show_badge("sealed", "good") if event.chain_hash is not None else show_badge("not yet sealed")


@admin.register(User)
class StaffUserAdmin(FoundRows, IdHistory, DjangoStaffUserAdmin, ModelAdmin):  # type: ignore[type-arg]
    """People who log in to the console; superusers alone see them (Django's own permissions)."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Access", {"fields": ("is_active", "is_staff", "is_superuser")}),
    )
    readonly_fields = ("last_login", "date_joined")

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        if not change:
            obj.is_staff = True
        super().save_model(request, obj, form, change)
