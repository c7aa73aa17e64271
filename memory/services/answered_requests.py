"""A write under an Idempotency-Key is done once: the same request again gets the first answer (SPEC A-1).

The answer is written in the transaction of the write, so that neither is there without the other. It is sealed under
the user's key, goes when the user is erased, and loses its content when a message it rests on is forgotten.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from memory.database.statements import busy_means, execute
from memory.errors import CodedError, Conflict, UserBusy
from memory.ids import new_id
from memory.models import AnsweredRequest
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.types import UserRef

PURPOSE: Final = "answered_request"


class KeyReused(CodedError):
    """The key came with another request before."""

    code = "idempotency_key_reused"
    status = 422
    default_message = "This Idempotency-Key was used for another request. Use a new key for each request."


class AnswerForgotten(Conflict):
    """The request was carried out, and what it answered has been forgotten since."""

    code = "answer_forgotten"
    default_message = "This request was carried out before, and a message in its answer has been forgotten since."


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A write that is to be done once. `content` is method, path and body, the same bytes for the same request."""

    tenant_id: UUID
    key: str
    content: bytes
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a write did: the status, and the bytes of its answer."""

    status: int
    answer: bytes
    message_ids: tuple[UUID, ...] = ()
    """Messages whose content the answer shows."""
    is_replayed: bool = False


def answer_once(request: Request, perform: Callable[[], Done], *, find_user: Callable[[], UserRef]) -> Done:
    """Carry out `perform` unless this request was answered before; then its answer again. Writes, in one transaction.

    `find_user` is asked afterwards, in the transaction: whose memory was changed. A second request with the same key
    waits for the first. Raises KeyReused, AnswerForgotten, UserBusy, and what
    `perform` raises: then nothing is kept, and the same key may be tried again.
    """
    digest = _make_key_digest(request)
    with tenant_scope(request.tenant_id):
        _lock(digest)
        row = AnsweredRequest.objects.filter(tenant_id=request.tenant_id, key_digest=digest).first()
        if row is not None and row.expires_at > request.now:
            return _repeat(row, request)
        if row is not None:
            AnsweredRequest.objects.filter(user_id=row.user_id, id=row.id).delete()
        done = perform()
        _keep(done, request, user=find_user(), digest=digest)
    return done


def _make_key_digest(request: Request) -> bytes:
    # A caller may put an address or a name into its key: a digest under our own secret tells nothing of it.
    message = b"idempotency" + request.tenant_id.bytes + request.key.encode()
    return hmac.digest(settings.SECRET_KEY.encode(), message, "sha256")


def _make_request_digest(request: Request, *, user: UserRef) -> bytes:
    return UserVault(user_id=user.id).fingerprint(PURPOSE, hashlib.sha256(request.content).digest().hex())


def _lock(digest: bytes) -> None:
    with busy_means(UserBusy):
        execute("SELECT lock_request_v1(%s)", [digest])


def _repeat(row: AnsweredRequest, request: Request) -> Done:
    user = UserRef(id=row.user_id, tenant_id=row.tenant_id)
    if not hmac.compare_digest(bytes(row.request_digest), _make_request_digest(request, user=user)):
        raise KeyReused
    if row.sealed is None:
        raise AnswerForgotten
    answer = UserVault(user_id=user.id).open(row.sealed, purpose=PURPOSE)
    return Done(status=row.status, answer=answer.encode(), message_ids=tuple(row.message_ids), is_replayed=True)


def _keep(done: Done, request: Request, *, user: UserRef, digest: bytes) -> None:
    AnsweredRequest.objects.create(
        id=new_id(),
        tenant_id=request.tenant_id,
        user_id=user.id,
        key_digest=digest,
        request_digest=_make_request_digest(request, user=user),
        status=done.status,
        sealed=UserVault(user_id=user.id).seal(done.answer.decode(), purpose=PURPOSE),
        message_ids=list(dict.fromkeys(done.message_ids)),
        created_at=request.now,
        expires_at=request.now + settings.UNDE_TUNING.IDEMPOTENCY_KEPT_FOR,
    )


def hide_answers(user: UserRef, message_ids: Sequence[UUID]) -> dict[str, int]:
    """The forget step: answers that show something of these messages lose their content."""
    rows = AnsweredRequest.objects.filter(user_id=user.id, message_ids__overlap=list(message_ids))
    count = rows.exclude(sealed=None).update(sealed=None)
    return {"answers_cleared": count} if count else {}


def restore_answers(user: UserRef, message_ids: Sequence[UUID]) -> dict[str, int]:
    """Nothing comes back: a repeated request says that its answer is gone."""
    return {}


def export_answers(user: UserRef) -> Iterator[dict[str, Any]]:
    """What is kept of the user's writes, a line each. There are few: a day's writes that carried a key."""
    with tenant_scope(user.tenant_id):
        rows = list(AnsweredRequest.objects.filter(user_id=user.id).order_by("id"))
        vault = UserVault(user_id=user.id)
        for row in rows:
            yield {
                "kind": "answered_request",
                "id": row.id,
                "status": row.status,
                "created_at": row.created_at,
                "expires_at": row.expires_at,
                "answer": vault.open(row.sealed, purpose=PURPOSE) if row.sealed else None,
            }


def drop_expired_answers(*, user: UserRef, now: datetime) -> int:
    """Delete the user's answers whose time is up; how many. Writes."""
    with tenant_scope(user.tenant_id):
        return AnsweredRequest.objects.filter(user_id=user.id, expires_at__lte=now).delete()[0]
