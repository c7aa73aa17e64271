"""Errors that callers see. Each has a stable code; none of them carries user text in its `str()` or `args`."""

from __future__ import annotations

from collections.abc import Mapping


class CodedError(Exception):
    """An anticipated failure: `code` never changes for the same cause, `message` is a sentence of ours.

    `fields` maps a field's name to what is wrong with it. `str()` and `args` hold the code alone, so that a
    traceback or a log line cannot carry what a user wrote (SPEC G-6, D-16).
    """

    code = "internal_error"
    status = 500
    default_message = "Internal error. The log has the details."
    retry_after_seconds: int | None = None

    message: str
    fields: dict[str, str]

    def __init__(
        self,
        message: str | None = None,
        *,
        fields: Mapping[str, str] | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(self.code)
        self.message = message or self.default_message
        self.fields = dict(fields or {})
        if retry_after_seconds is not None:
            self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        return self.code

    def to_dict(self) -> dict[str, object]:
        """The body of the answer: `{"code", "message", "fields"}` (API.md, HTTP)."""
        return {"code": self.code, "message": self.message, "fields": self.fields}


class InvalidRequest(CodedError):
    """The request is not what the endpoint takes; `fields` says where."""

    code = "invalid_request"
    status = 400
    default_message = "The request is not valid."

    def __init__(self, message: str | None = None, *, fields: Mapping[str, str] | None = None, **more: int) -> None:
        """Without a message of its own the first of `fields` is named in it."""
        super().__init__(message, fields=fields, **more)
        if message is None and fields:
            name, problem = next(iter(fields.items()))
            self.message = f"{self.default_message} {name}: {problem}."


class Forbidden(CodedError):
    """Known, but not allowed to do this."""

    code = "forbidden"
    status = 403
    default_message = "This is not allowed."


class NotFound(CodedError):
    """No such object in this tenant. An object of another tenant answers the same."""

    code = "not_found"
    status = 404
    default_message = "This object does not exist."


class Conflict(CodedError):
    """The request contradicts what is stored."""

    code = "conflict"
    status = 409
    default_message = "The request conflicts with stored data."


class UserErased(CodedError):
    """The user is being erased or has been erased: nothing may be written for that id (D-29)."""

    code = "user_erased"
    status = 409
    default_message = "This user has been erased."


class MemoryPaused(CodedError):
    """The user has paused their memory, and the tenant chose that nothing new is kept meanwhile (D-38)."""

    code = "memory_paused"
    status = 409
    default_message = "This user has paused their memory. Nothing new is stored until they resume it."


class ConsentMissing(CodedError):
    """The user has agreed to no purpose for which this may be kept; `fields` says what was not kept."""

    code = "consent_missing"
    status = 409
    default_message = "This user has not agreed that this is kept. Nothing was stored."


class FactsUnavailable(CodedError):
    """The user's facts cannot be read now; `fields` says why. A pack without them would hide allergies (D-38)."""

    code = "facts_unavailable"
    status = 503
    default_message = "The facts of this user cannot be read at the moment. Try again, or send allow_without_facts."
    retry_after_seconds = 5


class UserBusy(CodedError):
    """Another writer holds the user's lock for longer than a request may wait (D-6)."""

    code = "user_busy"
    status = 503
    default_message = "Another write for this user is in progress. Try again."
    retry_after_seconds = 1
