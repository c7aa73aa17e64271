"""Webhooks and their delivery log, for operators: who is told, what arrived, and sending it again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from config.console.pages import ask_first, telling
from config.parameters import find_id
from memory.outbox.models import Event, WebhookDelivery, WebhookEndpoint
from memory.outbox.services.deliveries import replay_delivery, send_test
from memory.outbox.services.endpoints import set_enabled
from memory.tenants.access import get_access, has_permission
from memory.tenants.admin_base import ConsoleAdmin, LongListAdmin, TenantRows, show_badge, show_id

REASONS = {
    "gone": "The receiver answered 410",
    "failing": "Nothing could be delivered for days",
    "by_hand": "Switched off by a person",
}
STATES = {"waiting": "info", "delivered": "good", "failed": "bad"}
ACTIONS = {
    "test": ("Send a test", "A webhook.test event goes to this webhook alone. Its delivery shows in the log."),
    "enable": ("Enable", "Events are delivered again, the waiting ones first."),
    "disable": ("Disable", "Nothing is sent until you enable the webhook again. Events wait meanwhile."),
}


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(TenantRows, ConsoleAdmin):
    view_permissions = ("operate",)
    list_before_template = "console/webhooks_note.html"
    list_display = ("external_id", "url", "shown_events", "state", "failing_since", "log", "doing")
    list_display_links = None
    ordering = ("external_id",)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<uuid:endpoint_id>/<str:action>/", view(self.do), name="outbox_webhookendpoint_do"),
            *super().get_urls(),
        ]

    def do(self, request: HttpRequest, endpoint_id: UUID, action: str) -> HttpResponseBase:
        """Ask, then send a test or switch the webhook on or off."""
        if not has_permission(request, "operate"):
            raise PermissionDenied
        access = get_access(request)
        row = WebhookEndpoint.objects.filter(tenant_id=access.tenant.id, id=endpoint_id).first()
        if row is None or action not in ACTIONS:
            raise Http404
        title, sentence = ACTIONS[action]
        if request.method == "POST":
            with telling(request):
                self._perform(row, action, request)
                messages.success(request, f"{title}: done.")
            return redirect("admin:outbox_webhookendpoint_changelist")
        back = reverse("admin:outbox_webhookendpoint_changelist")
        return ask_first(request, title=f"{title}: {row.external_id}", sentence=sentence, button=title, back_url=back)

    @staticmethod
    def _perform(row: WebhookEndpoint, action: str, request: HttpRequest) -> None:
        named: dict[str, Any] = {"tenant_id": row.tenant_id, "external_id": row.external_id, "now": timezone.now()}
        if action == "test":
            send_test(**named)
        else:
            set_enabled(**named, is_enabled=action == "enable", actor=get_access(request).actor)

    @display(description="Events")
    def shown_events(self, row: WebhookEndpoint) -> str:
        return ", ".join(row.events)

    @display(description="State")
    def state(self, row: WebhookEndpoint) -> SafeString:
        if row.disabled_at is None:
            return show_badge("failing", "warn") if row.failing_since else show_badge("active", "good")
        return format_html("{} {}", show_badge("disabled", "bad"), REASONS.get(row.disabled_reason, ""))

    @display(description="Deliveries")
    def log(self, row: WebhookEndpoint) -> SafeString:
        url = f"{reverse('admin:outbox_webhookdelivery_changelist')}?endpoint_id={row.id}"
        return format_html('<a class="quiet-link" href="{}">Delivery log</a>', url)

    @display(description="Actions")
    def doing(self, row: WebhookEndpoint) -> SafeString:
        names = ["enable"] if row.disabled_at else ["test", "disable"]
        links = [(reverse("admin:outbox_webhookendpoint_do", args=[row.id, name]), ACTIONS[name][0]) for name in names]
        first = format_html('<a class="quiet-link" href="{}">{}</a>', *links[0])
        return (
            first if len(links) == 1 else format_html('{} · <a class="quiet-link" href="{}">{}</a>', first, *links[1])
        )


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(TenantRows, LongListAdmin):
    view_permissions = ("operate",)
    list_display = (
        "created_at",
        "shown_type",
        "badge",
        "attempts",
        "status",
        "error",
        "took",
        "due",
        "replaying",
    )
    list_display_links = None
    list_filter = ("state",)
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[WebhookDelivery]:
        rows = super().get_queryset(request)
        endpoint_id = find_id(request.GET.get("endpoint_id", ""))
        return rows.filter(endpoint_id=endpoint_id) if endpoint_id else rows

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The types of the page's events, in one query."""
        page = super().get_changelist_instance(request)
        rows = list(page.result_list)
        found = Event.objects.filter(tenant_id=get_access(request).tenant.id, id__in=[row.event_id for row in rows])
        types = dict(found.values_list("id", "type"))
        for row in rows:
            row.event_type = types.get(row.event_id, "")
        page.result_list = rows
        return page

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        return lookup == "endpoint_id" or super().lookup_allowed(lookup, value, request)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<uuid:delivery_id>/replay/", view(self.replay), name="outbox_webhookdelivery_replay"),
            *super().get_urls(),
        ]

    def replay(self, request: HttpRequest, delivery_id: UUID) -> HttpResponseBase:
        """Ask, then send it again."""
        if not has_permission(request, "operate"):
            raise PermissionDenied
        access = get_access(request)
        row = WebhookDelivery.objects.filter(tenant_id=access.tenant.id, id=delivery_id).first()
        if row is None:
            raise Http404
        endpoint = WebhookEndpoint.objects.get(tenant_id=access.tenant.id, id=row.endpoint_id)
        back = f"{reverse('admin:outbox_webhookdelivery_changelist')}?endpoint_id={endpoint.id}"
        if request.method == "POST":
            with telling(request):
                replay_delivery(
                    tenant_id=access.tenant.id,
                    external_id=endpoint.external_id,
                    delivery_id=row.id,
                    now=timezone.now(),
                )
                messages.success(request, "It is sent again within seconds.")
            return redirect(back)
        sentence = f"The same event goes to {endpoint.external_id} again, under the same id."
        return ask_first(request, title="Send again", sentence=sentence, button="Send again", back_url=back)

    @display(description="Event")
    def shown_type(self, row: Any) -> SafeString:
        return format_html("<code>{}</code> {}", row.event_type, show_id(row.event_id))

    @display(description="State")
    def badge(self, row: WebhookDelivery) -> SafeString:
        return show_badge(row.state, STATES[row.state])

    @display(description="Took")
    def took(self, row: WebhookDelivery) -> str:
        return "–" if row.duration_ms is None else f"{row.duration_ms} ms"

    @display(description="Next attempt")
    def due(self, row: WebhookDelivery) -> Any:
        return row.available_at if row.state == "waiting" else "–"

    @display(description="Replay")
    def replaying(self, row: WebhookDelivery) -> SafeString:
        url = reverse("admin:outbox_webhookdelivery_replay", args=[row.id])
        return format_html('<a class="quiet-link" href="{}">Send again</a>', url)
