"""Requests as desks see them, and errors in OpenDSR's own form."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.urls import reverse
from rest_framework.response import Response

from config.api.errors import list_headers, note_error
from config.opendsr.signing import Signer, make_base
from config.opendsr.structs import API_VERSION, StatusCallback, SubjectRequestStatus
from memory.errors import CodedError
from memory.privacy.types import ClaimedCallback, RequestView

DOMAIN: Final = "Validation"


def show_status(request: RequestView, *, controller: str, signer: Signer, now: datetime) -> SubjectRequestStatus:
    """How far a request is."""
    return SubjectRequestStatus(
        controller_id=controller,
        expected_completion_time=request.deadline_at,
        subject_request_id=request.subject_request_id,
        request_status=request.status,
        api_version=API_VERSION,
        results_url=find_results_url(request, signer=signer, now=now),
        results_count=request.results_count,
    )


def show_callback(callback: ClaimedCallback, *, signer: Signer, now: datetime) -> StatusCallback:
    """What an address is told. The results are named when they are what it is told of."""
    request, is_told = callback.request, callback.status == "completed"
    return StatusCallback(
        controller_id=callback.tenant_slug,
        expected_completion_time=request.deadline_at,
        status_callback_url=callback.url,
        subject_request_id=request.subject_request_id,
        request_status=callback.status,
        api_version=API_VERSION,
        results_url=find_results_url(request, signer=signer, now=now) if is_told else None,
        results_count=request.results_count if is_told else None,
    )


def find_results_url(request: RequestView, *, signer: Signer, now: datetime) -> str | None:
    """Where the results are, while there are any: those of an erasure, its certificate, for good."""
    is_there = request.erasure_id is not None if request.kind == "erasure" else is_open(request, now=now)
    if request.status != "completed" or not is_there:
        return None
    return make_base(signer) + reverse("opendsr-results", args=[request.subject_request_id])


def is_open(request: RequestView, *, now: datetime) -> bool:
    """Whether the results of an access or portability request are still given out."""
    return request.results_until is not None and request.results_until > now


def handle_exception(error: Exception, context: dict[str, Any]) -> Response:
    """Any exception as OpenDSR's error object, with our own code beside it. It holds nothing that was sent."""
    coded = note_error(error)
    return Response(write_error(coded), status=coded.status, headers=list_headers(coded))


def write_error(error: CodedError) -> dict[str, Any]:
    """The error object of OpenDSR 2.0 (section 7.6), and the form that every error of ours has."""
    details = [f"{name} {problem}." for name, problem in error.fields.items()] or [error.message]
    errors = [{"domain": DOMAIN, "reason": error.code, "message": detail} for detail in details]
    return {"error": {"code": error.status, "message": error.message, "errors": errors}, **error.to_dict()}
