"""Backtests, read; and the messages that they read."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from corrections.models import Backtest, BacktestSample
from memory.models import Message, User


def find_backtest(*, tenant_id: UUID, backtest_id: UUID) -> Backtest | None:
    """A backtest of the tenant, if there is one of that id."""
    return Backtest.objects.filter(tenant_id=tenant_id, id=backtest_id).first()


def find_last_backtest(*, tenant_id: UUID, version_id: UUID) -> Backtest | None:
    """The newest backtest of a version."""
    return Backtest.objects.filter(tenant_id=tenant_id, version_id=version_id).order_by("-id").first()


def has_finished_backtest(*, tenant_id: UUID, version_id: UUID) -> bool:
    """Whether a version has been read against the tenant's messages to the end."""
    return Backtest.objects.filter(tenant_id=tenant_id, version_id=version_id, state="done").exists()


def list_samples(*, backtest_id: UUID) -> list[BacktestSample]:
    """The kept samples of a backtest, by kind of change."""
    return list(BacktestSample.objects.filter(backtest_id=backtest_id).order_by("change", "id"))


def list_sample_texts(samples: Sequence[BacktestSample]) -> dict[UUID, str]:
    """The words of the sampled messages that may still be read: forgotten and fenced ones are missing."""
    owners = {sample.user_id for sample in samples}
    rows = Message.objects.filter(
        user_id__in=owners, id__in={sample.message_id for sample in samples}, forgotten_at=None
    ).exclude(user_id__in=list_fenced(owners))
    return dict(rows.values_list("id", "content"))


def list_messages_before(*, tenant_id: UUID, before: UUID | None, limit: int) -> list[Message]:
    """What users of a tenant said, newest first, from a message on; across users, by the index on bare ids."""
    rows = Message.objects.filter(tenant_id=tenant_id, role="user", forgotten_at=None)
    if before is not None:
        rows = rows.filter(id__lt=before)
    return list(
        rows.only("id", "user_id", "conversation_id", "seq", "content", "created_at", "language").order_by("-id")[
            :limit
        ]
    )


def list_recent_texts(*, tenant_id: UUID, limit: int) -> list[str]:
    """Words of the tenant's last messages, to time a pattern on; they go nowhere else."""
    return [message.content for message in list_messages_before(tenant_id=tenant_id, before=None, limit=limit)]


def list_fenced(user_ids: set[UUID]) -> set[UUID]:
    """Those of the users who are being erased."""
    return set(User.objects.filter(id__in=user_ids).exclude(fenced_at=None).values_list("id", flat=True))
