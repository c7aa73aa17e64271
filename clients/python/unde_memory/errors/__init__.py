"""What the service refuses, one exception for each code. All of them are `UndeError`; codes never change.

A code that this version does not know is raised as the nearest class by its status.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unde_memory.errors.bases import (
    BadRequest,
    Conflict,
    Forbidden,
    Gone,
    NotFound,
    ServerFault,
    Unauthenticated,
    Unavailable,
    UndeError,
    UnexpectedAnswer,
    Unprocessable,
    Unreachable,
)
from unde_memory.errors.codes import (
    AnswerForgotten,
    BodyTooLarge,
    ConstraintViolated,
    CorpusBusy,
    CorrectionNotFound,
    DatabaseUnavailable,
    DuplicateId,
    EpisodeNotFound,
    ErasedPeriod,
    FactInactive,
    FactsUnavailable,
    ForgetOver,
    IdempotencyKeyReused,
    IdTaken,
    ImportInconsistent,
    InvalidCursor,
    InvalidKey,
    InvalidPlan,
    InvalidSchema,
    KeptQuotaReached,
    KeyStoreUnavailable,
    LedgerDrift,
    MasterKeyMissing,
    MasterKeysInvalid,
    MethodNotAllowed,
    MissingBearer,
    MissingKey,
    MissingScope,
    NulByte,
    OtherUser,
    OutcomeUnknown,
    PlanNotDraft,
    PlanNotFound,
    PlanUsed,
    RateLimited,
    ReceiptNotFound,
    ReceiptPruned,
    SampleTaken,
    SchemaConflict,
    SealBroken,
    SoftType,
    StorageFull,
    TenantKeyNeeded,
    Timeout,
    TooManyUploads,
    TryAgain,
    UnknownEdge,
    UnknownIntent,
    UnknownReceipt,
    UnsafeBlock,
    UnstorableText,
    UserBusy,
    UserErased,
    UserKeyLost,
    UserNotFound,
    UserRequired,
    VersionConflict,
)

BY_STATUS: Final[Mapping[int, type[UndeError]]] = {
    400: BadRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    405: BadRequest,
    409: Conflict,
    410: Gone,
    413: BadRequest,
    422: Unprocessable,
    429: Unavailable,
    500: ServerFault,
    503: Unavailable,
}


def _list_classes(base: type[UndeError]) -> list[type[UndeError]]:
    return [base, *(each for child in base.__subclasses__() for each in _list_classes(child))]


BY_CODE: Final[Mapping[str, type[UndeError]]] = {each.code: each for each in _list_classes(UndeError) if each.code}


def make_error(
    *, status: int, code: str, message: str, fields: Mapping[str, str] | None = None, retry_after: float | None = None
) -> UndeError:
    """The exception for an answer of the service."""
    nearest = BY_STATUS.get(status, ServerFault if status >= 500 else BadRequest)
    kind = BY_CODE.get(code, nearest)
    return kind(message, code=code, status=status, fields=fields, retry_after=retry_after)


__all__ = [
    "AnswerForgotten",
    "BadRequest",
    "BodyTooLarge",
    "Conflict",
    "ConstraintViolated",
    "CorpusBusy",
    "CorrectionNotFound",
    "DatabaseUnavailable",
    "DuplicateId",
    "EpisodeNotFound",
    "ErasedPeriod",
    "FactInactive",
    "FactsUnavailable",
    "Forbidden",
    "ForgetOver",
    "Gone",
    "IdTaken",
    "IdempotencyKeyReused",
    "ImportInconsistent",
    "InvalidCursor",
    "InvalidKey",
    "InvalidPlan",
    "InvalidSchema",
    "KeptQuotaReached",
    "KeyStoreUnavailable",
    "LedgerDrift",
    "MasterKeyMissing",
    "MasterKeysInvalid",
    "MethodNotAllowed",
    "MissingBearer",
    "MissingKey",
    "MissingScope",
    "NotFound",
    "NulByte",
    "OtherUser",
    "OutcomeUnknown",
    "PlanNotDraft",
    "PlanNotFound",
    "PlanUsed",
    "RateLimited",
    "ReceiptNotFound",
    "ReceiptPruned",
    "SampleTaken",
    "SchemaConflict",
    "SealBroken",
    "ServerFault",
    "SoftType",
    "StorageFull",
    "TenantKeyNeeded",
    "Timeout",
    "TooManyUploads",
    "TryAgain",
    "Unauthenticated",
    "Unavailable",
    "UndeError",
    "UnexpectedAnswer",
    "UnknownEdge",
    "UnknownIntent",
    "UnknownReceipt",
    "Unprocessable",
    "Unreachable",
    "UnsafeBlock",
    "UnstorableText",
    "UserBusy",
    "UserErased",
    "UserKeyLost",
    "UserNotFound",
    "UserRequired",
    "VersionConflict",
    "make_error",
]
