"""The calls of OpenDSR 2.0. Every answer is signed, errors too."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.belonging import check_body
from config.api.decoding import decode_json, read_bytes
from config.api.endpoints.answers import make_actor, make_tenant_ref
from config.api.endpoints.users import make_pieces
from config.api.endpoints.webhooks import check_url
from config.api.errors import note_error
from config.api.rendering import Answer, encode
from config.api.schema import JSON_LINES, describe
from config.api.views import ApiView
from config.opendsr.answers import handle_exception, is_open, show_status, write_error
from config.opendsr.signing import OpenDsrOff, Signer, get_signer, make_base
from config.opendsr.structs import (
    API_VERSION,
    IDENTITY_FORMAT,
    IDENTITY_TYPE,
    Discovery,
    SubjectRequestBody,
    SubjectRequestCancelled,
    SubjectRequestError,
    SubjectRequestStatus,
    SubjectRequestTaken,
    SupportedIdentity,
)
from memory.erasure.selectors import get_erasure
from memory.errors import InvalidRequest, NotFound
from memory.privacy.requests import cancel_request, take_request
from memory.privacy.selectors import find_person, get_request
from memory.privacy.types import KINDS, Asked, ResultsOver
from memory.services.exports import export_user
from memory.tenants.types import Scope

PATH = {"subject_request_id": "Your id of the request: a UUID of version 4."}
TAG = "privacy requests"


class OpenDsrView(ApiView):
    """Base of the calls: shut without a certificate, and signed with it."""

    signer: Signer

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Key, scope and limit as everywhere, then the certificate. Raises OpenDsrOff."""
        super().initial(request, *args, **kwargs)
        self.signer = get_signer()

    def get_exception_handler(self) -> Callable[..., Response]:
        """Errors in OpenDSR's form."""
        return handle_exception

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Sign the body when it is written. A stream has none to sign."""
        final = super().finalize_response(request, response, *args, **kwargs)
        if hasattr(final, "add_post_render_callback"):
            final.add_post_render_callback(sign_response)
        return final


def put_signature(response: HttpResponse, signer: Signer) -> None:
    """The headers that prove whose answer it is."""
    for name, value in signer.sign(response.content).items():
        response.headers[name] = value


def sign_response(response: HttpResponse) -> None:
    """Put the headers of the signature on an answer, where there is a certificate."""
    try:
        signer = get_signer()
    except OpenDsrOff:
        return
    put_signature(response, signer)


class SubjectRequests(OpenDsrView):
    """`POST /opendsr/v2/requests`."""

    scopes = {"POST": Scope.OPENDSR}

    @describe(
        summary="Take on a person's request for access, portability or erasure",
        description=(
            "The same body again gives the same answer. Another body under the same `subject_request_id` is refused as"
            " `request_id_reused`. An erasure stays `pending` for an hour, so that it can be cancelled; then nothing"
            " of the person is visible any more. A person of whom nothing is stored is no error: the request is"
            " completed, and `results_count` is 0."
        ),
        tag=TAG,
        body=SubjectRequestBody,
        answers={201: SubjectRequestTaken},
        errors=(404, 409),
        failure=SubjectRequestError,
    )
    def post(self, request: Request) -> Response:
        data = read_bytes(request, limit=self.body_limit)
        body = decode_json(data, SubjectRequestBody)
        check_body(self.caller, body, is_named=self.is_named)
        taken, _ = take_request(
            tenant=make_tenant_ref(self.caller),
            asked=self.read_asked(body),
            actor=make_actor(self.caller),
            now=timezone.now(),
        )
        answer = SubjectRequestTaken(
            controller_id=self.caller.tenant_slug,
            expected_completion_time=taken.deadline_at,
            received_time=taken.received_at,
            encoded_request=base64.b64encode(data).decode(),
            subject_request_id=taken.subject_request_id,
        )
        return Response(answer, status=201)

    def read_asked(self, body: SubjectRequestBody) -> Asked:
        """What the body asks for. Raises InvalidRequest, UnsupportedIdentity, AddressRefused."""
        if self.signer.domain in (body.extensions or {}):
            raise InvalidRequest(fields={"extensions": "must not hold an entry for this service"})
        urls = tuple(dict.fromkeys(body.status_callback_urls))
        user = body.find_user()
        for place, url in enumerate(urls):
            check_callback(url, name=f"status_callback_urls[{place}]")
        return Asked(
            subject_request_id=UUID(body.subject_request_id),
            kind=body.subject_request_type,
            regulation=body.regulation,
            user_external_id=user,
            submitted_at=body.submitted_time,
            callback_urls=urls,
        )


def check_callback(url: str, *, name: str) -> None:
    """Raise what `check_url` raises, with the field's own name."""
    try:
        check_url(url)
    except InvalidRequest as error:
        raise type(error)(fields={name: next(iter(error.fields.values()))}) from None


class SubjectRequestDetail(OpenDsrView):
    """`GET` and `DELETE /opendsr/v2/requests/{subject_request_id}`."""

    scopes = {"GET": Scope.OPENDSR, "DELETE": Scope.OPENDSR}

    @describe(
        summary="How far a request is",
        description="`pending`, `in_progress`, `completed` or `cancelled`. With the results, `results_url` is there.",
        tag=TAG,
        path=PATH,
        answers={200: SubjectRequestStatus},
        errors=(404,),
        failure=SubjectRequestError,
    )
    def get(self, request: Request, subject_request_id: UUID) -> Response:
        with self.in_tenant():
            found = get_request(tenant_id=self.caller.tenant_id, subject_request_id=subject_request_id)
        controller = self.caller.tenant_slug
        return Response(show_status(found, controller=controller, signer=self.signer, now=timezone.now()))

    @describe(
        summary="Cancel a request that is still pending",
        description="What was begun cannot be cancelled: `request_not_pending`.",
        tag=TAG,
        path=PATH,
        answers={202: SubjectRequestCancelled},
        errors=(404, 409),
        failure=SubjectRequestError,
    )
    def delete(self, request: Request, subject_request_id: UUID) -> Response:
        cancelled = cancel_request(
            tenant_id=self.caller.tenant_id,
            subject_request_id=subject_request_id,
            actor=make_actor(self.caller),
            now=timezone.now(),
        )
        answer = SubjectRequestCancelled(
            controller_id=self.caller.tenant_slug,
            received_time=cancelled.finished_at or timezone.now(),
            subject_request_id=cancelled.subject_request_id,
            api_version=API_VERSION,
        )
        return Response(answer, status=202)


class SubjectRequestResults(OpenDsrView):
    """`GET /opendsr/v2/requests/{subject_request_id}/results`."""

    scopes = {"GET": Scope.OPENDSR}

    @describe(
        summary="The results of a completed request",
        description=(
            "Of an access or portability request everything that is stored of the person, a JSON object a line, for"
            " seven days. No copy is kept: it is read when it is asked for. Of an erasure its certificates, for good."
            " A stream has no signature."
        ),
        tag=TAG,
        path=PATH,
        answers={200: JSON_LINES},
        errors=(404, 410),
        failure=SubjectRequestError,
    )
    def get(self, request: Request, subject_request_id: UUID) -> HttpResponseBase:
        with self.in_tenant():
            found = get_request(tenant_id=self.caller.tenant_id, subject_request_id=subject_request_id)
            user = find_person(request=found)
        if found.status != "completed":
            raise NotFound("There are no results yet.", fields={"request_status": found.status})
        if found.kind == "erasure":
            return self.show_certificates(found.erasure_id)
        if user is None or not is_open(found, now=timezone.now()):
            raise ResultsOver
        lines = export_user(user=user, now=timezone.now())
        response = StreamingHttpResponse(make_pieces(lines), content_type="application/jsonl")
        response.headers["Content-Disposition"] = f'attachment; filename="{found.subject_request_id}.jsonl"'
        response.headers["Cache-Control"] = "no-store"
        return response

    def show_certificates(self, erasure_id: UUID | None) -> HttpResponseBase:
        """The certificates of an erasure, oldest first, a line each."""
        if erasure_id is None:
            raise NotFound("Nothing was stored, so nothing was erased.")
        with self.in_tenant():
            erasure = get_erasure(tenant_id=self.caller.tenant_id, erasure_id=erasure_id)
        body = b"".join(encode(dict(one)) + b"\n" for one in erasure.certificates)
        response = HttpResponse(body, content_type="application/jsonl")
        sign_response(response)
        return response


# --- open to everybody ------------------------------------------------------------------------------------------------


def discover(request: HttpRequest) -> HttpResponse:
    """`GET /opendsr/v2/discovery`: what this service can do. Whoever gets a callback looks up the certificate here."""
    return _answer_openly(request, lambda signer: Answer(_describe_service(signer)))


def show_certificate(request: HttpRequest) -> HttpResponse:
    """`GET /opendsr/v2/certificate.pem`: the certificate that answers and callbacks are signed with."""
    return _answer_openly(request, lambda signer: HttpResponse(signer.pem, content_type="application/x-pem-file"))


for _view in (discover, show_certificate):
    _view.is_way_in = True  # type: ignore[attr-defined]


def _answer_openly(request: HttpRequest, make: Callable[[Signer], HttpResponse]) -> HttpResponse:
    try:
        if request.method not in ("GET", "HEAD"):
            return HttpResponse(status=405, headers={"Allow": "GET, HEAD"})
        signer = get_signer()
    except OpenDsrOff as error:
        return Answer(write_error(note_error(error)), status=error.status)
    response = make(signer)
    put_signature(response, signer)
    return response


def _describe_service(signer: Signer) -> Discovery:
    return Discovery(
        api_version=API_VERSION,
        supported_identities=[SupportedIdentity(IDENTITY_TYPE, IDENTITY_FORMAT)],
        supported_subject_request_types=list(KINDS),
        processor_certificate=make_base(signer) + reverse("opendsr-certificate"),
    )
