"""`POST /v1/users/{user_id}/page-links` and `GET /v1/receipts/{receipt_id}/page`: what an app's backend asks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.endpoints.answers import make_done
from config.api.schema import describe
from config.api.views import ApiView
from config.me.looks import check_return_url
from config.me.reading import get_sources
from config.me.sessions import SCOPES
from config.me.structs import PageLink, PageLinkBody, ReplySources, view_source
from memory.fence.user_lock import enter_user
from memory.services.answered_requests import Done
from memory.tenants.errors import MissingScope
from memory.tenants.models import Tenant
from memory.tenants.services.tenants import read_settings
from memory.tenants.types import Caller, Scope
from memory.types import UserRef
from memory.visits.services import make_link
from memory.visits.types import PERMISSIONS, LinkInput
from retrieval.receipts.reading import get_receipt


class PageLinks(ApiView):
    """`POST /v1/users/{user_id}/page-links`."""

    scopes = {"POST": Scope.READ}

    @describe(
        summary="A link to the person's own memory page, which works once",
        description=(
            "Make it when the person asks for their page, and send the browser there. Whoever opens it first has a"
            " session for an hour that sees this one user and may do what `permissions` lists. A link allows no more"
            " than the key that makes it, and ends with that key. The user is made when the id is new."
        ),
        tag="memory page",
        body=PageLinkBody,
        is_body_optional=True,
        path={"user_id": "Your id of the user."},
        answers={201: PageLink},
        errors=(409,),
        is_done_once=True,
    )
    def post(self, request: Request, user_id: str) -> Response:
        body, now = self.read_optional_body(PageLinkBody), timezone.now()
        wanted = LinkInput(
            permissions=choose_permissions(body.permissions, caller=self.caller),
            locale=body.locale,
            theme=body.theme,
            return_url=body.return_url,
            expires_at=now + timedelta(seconds=body.ttl_seconds),
        )
        enter = partial(enter_user, tenant_id=self.caller.tenant_id, external_id=user_id, now=now)

        def perform() -> Done:
            with self.in_tenant():
                if body.return_url:
                    check_return_url(body.return_url, own=read_settings(Tenant.objects.get(id=self.caller.tenant_id)))
                secret = make_link(user=enter(), key_id=self.caller.key_id, wanted=wanted, now=now)
            link = PageLink(make_url(request, reverse("page:open", args=[secret])), wanted.expires_at)
            return make_done(link, status=201)

        # A link is worth what its key may do: another key does not get it again.
        return self.once([body, self.caller.key_id], perform, find_user=enter)


def choose_permissions(wanted: Sequence[str] | None, *, caller: Caller) -> tuple[str, ...]:
    """What a link allows. Raises MissingScope for what the key may not do itself."""
    if not wanted:
        return tuple(name for name in PERMISSIONS if caller.scopes.issuperset(SCOPES[name]))
    for name in wanted:
        for scope in SCOPES[name]:
            if scope not in caller.scopes:
                raise MissingScope(fields={"scope": scope.value})
    return tuple(name for name in PERMISSIONS if name in wanted)


def make_url(request: HttpRequest | Request, path: str) -> str:
    """A path of this service as a browser reaches it."""
    return f"{settings.UNDE_PUBLIC_URL}{path}" if settings.UNDE_PUBLIC_URL else request.build_absolute_uri(path)


class ReceiptPage(ApiView):
    """`GET /v1/receipts/{receipt_id}/page`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="The sources of a reply in words: what it was given, what was left out and why",
        description=(
            "What `<unde-sources>` shows under a reply. Unlike the receipt itself it has the words, as far as they"
            " are not forgotten."
        ),
        tag="memory page",
        path={"receipt_id": "The id that the pack answered."},
        answers={200: ReplySources},
        errors=(404, 410),
    )
    def get(self, request: Request, receipt_id: UUID) -> Response:
        with self.in_tenant():
            receipt = get_receipt(receipt_id=receipt_id, tenant_id=self.caller.tenant_id)
            user = UserRef(id=receipt.user_id, tenant_id=receipt.tenant_id)
            return Response(view_sources(user, receipt_id))


def view_sources(user: UserRef, receipt_id: UUID) -> ReplySources:
    """Sources as an answer. Raises ReceiptNotFound, ReceiptPruned."""
    found = get_sources(user=user, receipt_id=receipt_id)
    return ReplySources(
        receipt_id=found.receipt_id,
        made_at=found.made_at,
        used=[view_source(one) for one in found.used],
        left_out=[view_source(one) for one in found.left_out],
        degraded_reasons=list(found.degraded),
    )
