"""What the database says, as coded errors without its text: it may quote a value (D-16)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError

from memory.disks import note_storage_full
from memory.errors import CodedError, Conflict, InvalidRequest, UserBusy

logger = logging.getLogger(__name__)


class DatabaseUnavailable(CodedError):
    """No connection to the database, or it was lost. Nothing of the request was stored."""

    code = "database_unavailable"
    status = 503
    default_message = "The database cannot be reached. Try again."
    retry_after_seconds = 2


class StorageFull(CodedError):
    """The disk has no room for anything new. Nothing of the request was stored; reading goes on."""

    code = "storage_full"
    status = 503
    default_message = "The disk is full: nothing new can be stored. Reading still works."
    retry_after_seconds = 60


class OutcomeUnknown(CodedError):
    """The connection was lost while a transaction was being committed: it is stored, or it is not (D-37).

    The only refusal after which something may be stored. The same request with the same client id may be sent again.
    """

    code = "outcome_unknown"
    status = 503
    default_message = (
        "The connection was lost during COMMIT: the request may be stored. Send it again with the same id."
    )
    retry_after_seconds = 2


class StatementTimeout(CodedError):
    """A statement took longer than a request may. Nothing of the request was stored."""

    code = "timeout"
    status = 503
    default_message = "The request took too long and was stopped. Try again, or ask for less."
    retry_after_seconds = 1


class TryAgain(CodedError):
    """Two transactions got in each other's way and this one gave in. Nothing of the request was stored."""

    code = "try_again"
    status = 503
    default_message = "The request conflicted with another one. Try again."
    retry_after_seconds = 1


class ConstraintViolated(Conflict):
    """A rule of the database refused the write; `fields` names the rule."""

    code = "constraint_violated"
    default_message = "The request violates a database constraint."


class UnstorableText(InvalidRequest):
    """Text that PostgreSQL cannot store, such as a NUL."""

    code = "unstorable_text"
    default_message = "The text contains a character that cannot be stored."


_DISK_FULL: Final = "53100"
_BY_STATE: Final[dict[str, type[CodedError]]] = {
    "55P03": UserBusy,  # lock_not_available: the user's lock is held for longer than lock_timeout (D-6)
    "57014": StatementTimeout,  # query_canceled
    "40001": TryAgain,  # serialization_failure
    "40P01": TryAgain,  # deadlock_detected
    "22021": UnstorableText,  # character_not_in_repertoire
    "22P05": UnstorableText,  # untranslatable_character
    _DISK_FULL: StorageFull,
    "53300": DatabaseUnavailable,  # too_many_connections
    "25P03": DatabaseUnavailable,  # idle_in_transaction_session_timeout: this process hung, and its locks were taken
}
_BY_CLASS: Final[dict[str, type[CodedError]]] = {
    "08": DatabaseUnavailable,  # connection exceptions
    "57": DatabaseUnavailable,  # shutting down, starting up, crashed
}
_INTEGRITY: Final = "23"


@contextmanager
def coded_database_errors() -> Iterator[None]:
    """Turn database errors of the block into coded errors, `from None`, so that no traceback quotes a value (D-16)."""
    try:
        yield
    except DatabaseError as error:
        coded = to_coded_error(error)
        raise coded from None


def to_coded_error(error: DatabaseError) -> CodedError:
    """The coded error for a database error. Of the original only the SQLSTATE and a constraint's name are looked at.

    What nobody foresaw is a plain CodedError: `internal_error`, 500.
    """
    state = get_sqlstate(error) or ""
    if state.startswith(_INTEGRITY):
        rule = get_constraint_name(error)
        return ConstraintViolated(fields={rule: "is violated"} if rule else {})
    if state == _DISK_FULL:
        note_storage_full()
    kind = _BY_STATE.get(state) or _BY_CLASS.get(state[:2])
    if kind is None and not state and isinstance(error, OperationalError | InterfaceError):
        kind = DatabaseUnavailable
    return kind() if kind else CodedError()


def is_rolled_back(error: DatabaseError) -> bool:
    """Whether the database itself said no, so that nothing of the transaction is stored.

    False where the connection was lost: a COMMIT may have been carried out whose answer never came.
    """
    state = get_sqlstate(error) or ""
    return state in _BY_STATE or (bool(state) and state[:2] not in _BY_CLASS)


@contextmanager
def unknown_when_failing() -> Iterator[None]:
    """For work behind a transaction that is stored already: a refusal of it must not say that nothing is (D-37)."""
    try:
        yield
    except (CodedError, DatabaseError) as error:
        logger.warning("a stored request could not be answered", extra={"error": type(error).__name__})
        raise OutcomeUnknown from None


def get_sqlstate(error: DatabaseError) -> str | None:
    """The five characters PostgreSQL gives each kind of error; None when it never got there."""
    state = getattr(error.__cause__ or error, "sqlstate", None)
    return state if isinstance(state, str) else None


def get_constraint_name(error: DatabaseError) -> str | None:
    """The name of the constraint, index or trigger that refused the write."""
    diagnosis = getattr(error.__cause__ or error, "diag", None)
    name = getattr(diagnosis, "constraint_name", None)
    return name if isinstance(name, str) else None
