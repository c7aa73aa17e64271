"""Every failure as `{"code", "message", "fields"}`; the same code for the same cause always (SPEC A-1, API.md)."""

from __future__ import annotations

import errno
from typing import Any, Final

import structlog
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import Error as DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.views import defaults
from prometheus_client import Counter
from rest_framework import exceptions
from rest_framework.response import Response

from config.api.rendering import Answer, encode
from memory.errors import CodedError, Forbidden, InvalidRequest, NotFound
from memory.tenants.database_errors import StorageFull, to_coded_error
from memory.tenants.errors import InvalidKey, MissingKey, RateLimited

logger = structlog.get_logger(__name__)

api_errors = Counter("unde_api_errors", "Error answers of the API, by code.", ["code"])


class MethodNotAllowed(CodedError):
    """The path exists, the method does not."""

    code = "method_not_allowed"
    status = 405
    default_message = "This path does not support this method."


class BodyTooLarge(CodedError):
    """The body is over the limit of its endpoint."""

    code = "body_too_large"
    status = 413
    default_message = "The request body is too large."


class InvalidUtf8(InvalidRequest):
    """The body is not UTF-8."""

    code = "invalid_utf8"
    default_message = "The request body is not valid UTF-8."


class InvalidJson(InvalidRequest):
    """The body is not JSON, or nested deeper than anybody means."""

    code = "invalid_json"
    default_message = "The request body is not valid JSON."


class NulByte(InvalidRequest):
    """A NUL character, which PostgreSQL cannot store in text; `fields` says where."""

    code = "nul_byte"
    default_message = "Text must not contain the NUL character."


class InvalidCursor(InvalidRequest):
    """A page cursor that this list did not give out."""

    code = "invalid_cursor"
    default_message = "The cursor is not from this list."


class InternalError(CodedError):
    """Nobody foresaw this. The answer names the request's id and nothing else."""


_FRAMEWORK: Final[tuple[tuple[type[Exception], type[CodedError]], ...]] = (
    (Http404, NotFound),
    (exceptions.NotFound, NotFound),
    (PermissionDenied, Forbidden),
    (exceptions.NotAuthenticated, MissingKey),
    (exceptions.AuthenticationFailed, InvalidKey),
    (exceptions.PermissionDenied, Forbidden),
    (exceptions.MethodNotAllowed, MethodNotAllowed),
    (exceptions.Throttled, RateLimited),
    (exceptions.APIException, InvalidRequest),
    (SuspiciousOperation, InvalidRequest),
)


def handle_exception(error: Exception, context: dict[str, Any]) -> Response:
    """Django REST framework's EXCEPTION_HANDLER: any exception of an API view as a coded answer."""
    coded = note_error(error)
    return Response(coded.to_dict(), status=coded.status, headers=list_headers(coded))


def answer_error(error: Exception) -> Answer:
    """The same for a way in that is no view of REST framework."""
    coded = note_error(error)
    return Answer(coded.to_dict(), status=coded.status, headers=list_headers(coded))


def note_error(error: Exception) -> CodedError:
    """The coded error for an exception, counted. Logs ids and types of internal errors."""
    coded = to_coded(error)
    api_errors.labels(coded.code).inc()
    if coded.status >= 500:
        logger.error("request_failed", code=coded.code, status=coded.status, exc_info=error)
    if isinstance(coded, InternalError):
        coded.fields = {"request_id": str(structlog.contextvars.get_contextvars().get("request_id", ""))}
    return coded


def to_coded(error: Exception) -> CodedError:
    """The coded error for any exception. An unexpected one becomes InternalError, without its text."""
    if isinstance(error, DatabaseError):
        error = to_coded_error(error)
    if type(error) is CodedError:
        return InternalError()
    if isinstance(error, CodedError):
        return error
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFull()
    for kind, coded in _FRAMEWORK:
        if isinstance(error, kind):
            return coded()
    return InternalError()


def list_headers(error: CodedError) -> dict[str, str]:
    """The headers that belong to an error: when to try again, how to authenticate."""
    headers = {}
    if error.retry_after_seconds is not None:
        headers["Retry-After"] = str(error.retry_after_seconds)
    if error.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="unde"'
    return headers


def answer_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler404 of the project: coded under /v1, a page elsewhere."""
    if is_api_request(request):
        return _answer(NotFound("This path does not exist."))
    return defaults.page_not_found(request, exception)


def answer_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler400 of the project: coded under /v1, a page elsewhere."""
    if is_api_request(request):
        return _answer(InvalidRequest())
    return defaults.bad_request(request, exception)


def answer_server_error(request: HttpRequest) -> HttpResponse:
    """handler500 of the project: coded under /v1, a page elsewhere."""
    if is_api_request(request):
        return _answer(InternalError())
    return defaults.server_error(request)


def is_api_request(request: HttpRequest) -> bool:
    """Whether the path belongs to the API rather than to the console."""
    return request.path_info.startswith(("/v1/", "/mcp", "/mem0/", "/opendsr/")) or request.path_info == "/v1"


def _answer(error: CodedError) -> HttpResponse:
    api_errors.labels(error.code).inc()
    return HttpResponse(
        encode(error.to_dict()), status=error.status, content_type="application/json", headers=list_headers(error)
    )
