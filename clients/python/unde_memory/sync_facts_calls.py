"""Calls about single facts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from unde_memory.sync_sending import Sending
from unde_memory.transport import UNSET, UnsetType, fill, once, operation
from unde_memory.types import Fact, Timeline


class FactsCalls(Sending):
    """Calls about single facts."""

    @operation("POST /v1/facts/{fact_id}/confirm")
    def confirm_fact(
        self,
        fact_id: str,
        *,
        message_id: str | UnsetType | None = UNSET,
        reason: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Fact:
        """A person says that a fact is right."""
        return self.request(
            "POST",
            fill("/v1/facts/{fact_id}/confirm", fact_id=fact_id),
            Fact,
            body={"message_id": message_id, "reason": reason},
            headers=once(idempotency_key),
        )

    @operation("POST /v1/facts/{fact_id}/dispute")
    def dispute_fact(
        self,
        fact_id: str,
        *,
        message_id: str | UnsetType | None = UNSET,
        reason: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Fact:
        """A person doubts a fact."""
        return self.request(
            "POST",
            fill("/v1/facts/{fact_id}/dispute", fact_id=fact_id),
            Fact,
            body={"message_id": message_id, "reason": reason},
            headers=once(idempotency_key),
        )

    @operation("POST /v1/facts/{fact_id}/retract")
    def retract_fact(
        self,
        fact_id: str,
        *,
        message_id: str | UnsetType | None = UNSET,
        reason: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Fact:
        """A person says that a fact is wrong."""
        return self.request(
            "POST",
            fill("/v1/facts/{fact_id}/retract", fact_id=fact_id),
            Fact,
            body={"message_id": message_id, "reason": reason},
            headers=once(idempotency_key),
        )

    @operation("GET /v1/facts/{fact_id}")
    def get_fact(self, fact_id: str) -> Fact:
        """One fact, with the words it rests on; closed ones too."""
        return self.request("GET", fill("/v1/facts/{fact_id}", fact_id=fact_id), Fact)

    @operation("PATCH /v1/facts/{fact_id}")
    def update_fact(
        self,
        fact_id: str,
        value: str | int | Mapping[str, Any],
        *,
        expires_at: datetime | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Fact:
        """Give a fact another value, as the user states it: the fact that takes its place."""
        return self.request(
            "PATCH",
            fill("/v1/facts/{fact_id}", fact_id=fact_id),
            Fact,
            body={"value": value, "expires_at": expires_at},
            headers=once(idempotency_key),
        )

    @operation("DELETE /v1/facts/{fact_id}")
    def delete_fact(self, fact_id: str, *, idempotency_key: str | None = None) -> Fact:
        """Close a fact that is wrong; it stays in the timeline."""
        path = fill("/v1/facts/{fact_id}", fact_id=fact_id)
        return self.request("DELETE", path, Fact, headers=once(idempotency_key))

    @operation("GET /v1/facts/{fact_id}/timeline")
    def get_timeline(self, fact_id: str) -> Timeline:
        """Every version of a fact's key, each with the words it rests on."""
        return self.request("GET", fill("/v1/facts/{fact_id}/timeline", fact_id=fact_id), Timeline)
