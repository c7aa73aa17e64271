"""Calls about users: what is known of them, what they said it in, forgetting, erasure, keys, kept items."""

# No call has a body: `calling.py` sends it.
# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from unde_memory.calling import Calls, Opt, OptNone, delete, get, patch, post, put
from unde_memory.types import (
    Close,
    Consents,
    ConsentsChanged,
    Conversation,
    Episode,
    Erasure,
    ErasureAccepted,
    Fact,
    FactChanges,
    Forgotten,
    Item,
    Items,
    Message,
    Namespaces,
    NewUserKey,
    Operation,
    Page,
    PageLink,
    Purposes,
    ReceiptSummary,
    SourceForgotten,
    StoreResults,
    TellingSources,
    Timeline,
    UnpackedEpisode,
    User,
    UserKey,
)
from unde_memory.writing import UNSET


class UsersCalls(Calls):
    """Calls about users: what is known of them, what they said it in, forgetting, erasure, keys, kept items."""

    @get("/v1/erasures/{erasure_id}")
    def get_erasure(self, erasure_id: str) -> Erasure:
        """How far an erasure is: history, counts, and the certificate when it is completed."""

    @post("/v1/forgets/{batch_id}/restore")
    def restore_forget(self, batch_id: str, *, idempotency_key: str | None = None) -> Forgotten:
        """Undo a forget within its grace period."""

    @post("/v1/users/{user_id}/page-links")
    def page_link(
        self,
        user_id: str,
        *,
        permissions: OptNone[Sequence[str]] = UNSET,
        locale: Opt[str] = UNSET,
        theme: Opt[str] = UNSET,
        return_url: Opt[str] = UNSET,
        ttl_seconds: Opt[int] = UNSET,
        idempotency_key: str | None = None,
    ) -> PageLink:
        """A link to the person's own memory page, which works once."""

    @post("/v1/store/batch")
    def store_batch(self, operations: Sequence[Mapping[str, Any]]) -> StoreResults:
        """Several calls of the store in one request, in order."""

    @get("/v1/store/items")
    def get_item(
        self,
        *,
        key: Opt[str] = UNSET,
        namespace: Opt[str] = UNSET,
        refresh_ttl: OptNone[bool] = UNSET,
        version: OptNone[int] = UNSET,
    ) -> Item | None:
        """A kept document, or null when there is none."""

    @put("/v1/store/items")
    def put_item(
        self,
        *,
        namespace: Sequence[str],
        key: str,
        value: Mapping[str, Any],
        index: OptNone[bool | Sequence[str]] = UNSET,
        ttl: OptNone[float] = UNSET,
        if_version: OptNone[int] = UNSET,
    ) -> None:
        """Keep a document of a user under a namespace and a key."""

    @delete("/v1/store/items")
    def delete_item(self, *, namespace: Opt[Sequence[str]] = UNSET, key: str) -> None:
        """Delete a kept document with all of its versions."""

    @post("/v1/store/items/search")
    def search_items(
        self,
        *,
        namespace_prefix: Opt[Sequence[str]] = UNSET,
        filter: OptNone[Mapping[str, Any]] = UNSET,
        query: OptNone[str] = UNSET,
        limit: OptNone[int] = UNSET,
        offset: OptNone[int] = UNSET,
        refresh_ttl: OptNone[bool] = UNSET,
    ) -> Items:
        """Find kept documents under a namespace, by filter and by question."""

    @post("/v1/store/namespaces")
    def list_namespaces(
        self,
        *,
        prefix: OptNone[Sequence[str]] = UNSET,
        suffix: OptNone[Sequence[str]] = UNSET,
        max_depth: OptNone[int] = UNSET,
        limit: OptNone[int] = UNSET,
        offset: OptNone[int] = UNSET,
    ) -> Namespaces:
        """Namespaces that have documents in them."""

    @get("/v1/users")
    def list_users(self, *, after: OptNone[str] = UNSET, limit: Opt[int] = UNSET) -> Page[User]:
        """Users in the order in which they first came."""

    @get("/v1/users/{user_id}/conversations")
    def list_conversations(
        self, user_id: str, *, after: OptNone[str] = UNSET, limit: Opt[int] = UNSET
    ) -> Page[Conversation]:
        """A user's conversations in the order in which they began."""

    @post("/v1/users/{user_id}/erasure")
    def erase(
        self,
        user_id: str,
        *,
        scope: Opt[Literal["all", "conversation", "messages", "range"]] = UNSET,
        conversation_id: OptNone[str] = UNSET,
        message_ids: OptNone[Sequence[str]] = UNSET,
        from_: OptNone[datetime] = UNSET,
        to: OptNone[datetime] = UNSET,
        reason: Opt[str] = UNSET,
    ) -> ErasureAccepted:
        """Erase a user or a part of one for good; invisible from the answer on."""

    @get("/v1/users/{user_id}/facts")
    def list_facts(
        self,
        user_id: str,
        *,
        after: OptNone[str] = UNSET,
        as_of: OptNone[datetime] = UNSET,
        include: OptNone[Literal["inactive"]] = UNSET,
        knowledge_type: OptNone[str] = UNSET,
        limit: Opt[int] = UNSET,
    ) -> Page[Fact]:
        """What is known about a user, with evidence; as of any moment."""

    @put("/v1/users/{user_id}/facts")
    def put_facts(
        self, user_id: str, facts: Sequence[Mapping[str, Any]], *, idempotency_key: str | None = None
    ) -> FactChanges:
        """Write facts from onboarding or a form; all of them or none."""

    @post("/v1/users/{user_id}/forget")
    def forget(
        self,
        user_id: str,
        *,
        query: OptNone[str] = UNSET,
        message_ids: OptNone[Sequence[str]] = UNSET,
        plan_id: OptNone[str] = UNSET,
        dry_run: Opt[bool] = UNSET,
        reason: OptNone[str] = UNSET,
        idempotency_key: str | None = None,
    ) -> Forgotten:
        """Forget by query or ids: a dry run lists what would go, the run takes exactly that."""

    @get("/v1/purposes")
    def list_purposes(self) -> Purposes:
        """What you keep of your users, and what for."""

    @get("/v1/users/{user_id}/consents")
    def get_consents(self, user_id: str) -> Consents:
        """What a user says to your purposes, and what is not kept of them."""

    @put("/v1/users/{user_id}/consents")
    def set_consents(self, user_id: str, consents: Mapping[str, bool]) -> ConsentsChanged:
        """Pass on what a user agreed to or withdrew, by the key of the purpose."""

    @get("/v1/users/{user_id}/keys")
    def list_keys(self, user_id: str, *, after: OptNone[str] = UNSET, limit: Opt[int] = UNSET) -> Page[UserKey]:
        """The working keys for one user."""

    @post("/v1/users/{user_id}/keys")
    def make_key(
        self,
        user_id: str,
        *,
        name: Opt[str] = UNSET,
        scopes: OptNone[Sequence[str]] = UNSET,
        expires_at: OptNone[datetime] = UNSET,
        requests_per_minute: OptNone[int] = UNSET,
        idempotency_key: str | None = None,
    ) -> NewUserKey:
        """Make an API key that means this user in every call."""

    @delete("/v1/users/{user_id}/keys/{key_id}")
    def revoke_key(self, user_id: str, key_id: str) -> None:
        """Revoke a key for one user, from the next request on."""

    @get("/v1/users/{user_id}/messages")
    def list_messages(
        self,
        user_id: str,
        *,
        after: OptNone[str] = UNSET,
        conversation_id: OptNone[str] = UNSET,
        limit: Opt[int] = UNSET,
    ) -> Page[Message]:
        """A user's messages, word for word, oldest first."""

    @get("/v1/quality")
    def get_quality(self, *, at: OptNone[datetime] = UNSET) -> dict[str, Any]:
        """The tenant's service levels as they were last measured, and what the governor did about them."""

    @get("/v1/users/{user_id}/receipts")
    def list_receipts(
        self,
        user_id: str,
        *,
        after: OptNone[str] = UNSET,
        fact_id: OptNone[str] = UNSET,
        limit: Opt[int] = UNSET,
        message_id: OptNone[str] = UNSET,
    ) -> Page[ReceiptSummary]:
        """A user's receipts, newest first."""

    @post("/v1/facts/{fact_id}/confirm")
    def confirm_fact(
        self,
        fact_id: str,
        *,
        message_id: OptNone[str] = UNSET,
        reason: OptNone[str] = UNSET,
        idempotency_key: str | None = None,
    ) -> Fact:
        """A person says that a fact is right."""

    @post("/v1/facts/{fact_id}/dispute")
    def dispute_fact(
        self,
        fact_id: str,
        *,
        message_id: OptNone[str] = UNSET,
        reason: OptNone[str] = UNSET,
        idempotency_key: str | None = None,
    ) -> Fact:
        """A person doubts a fact."""

    @post("/v1/facts/{fact_id}/retract")
    def retract_fact(
        self,
        fact_id: str,
        *,
        message_id: OptNone[str] = UNSET,
        reason: OptNone[str] = UNSET,
        idempotency_key: str | None = None,
    ) -> Fact:
        """A person says that a fact is wrong."""

    @get("/v1/facts/{fact_id}")
    def get_fact(self, fact_id: str) -> Fact:
        """One fact, with the words it rests on; closed ones too."""

    @patch("/v1/facts/{fact_id}")
    def update_fact(
        self,
        fact_id: str,
        value: str | int | Mapping[str, Any],
        *,
        expires_at: OptNone[datetime] = UNSET,
        idempotency_key: str | None = None,
    ) -> Fact:
        """Give a fact another value, as the user states it: the fact that takes its place."""

    @delete("/v1/facts/{fact_id}")
    def delete_fact(self, fact_id: str, *, idempotency_key: str | None = None) -> Fact:
        """Close a fact that is wrong; it stays in the timeline."""

    @get("/v1/facts/{fact_id}/timeline")
    def get_timeline(self, fact_id: str) -> Timeline:
        """Every version of a fact's key, each with the words it rests on."""

    @get("/v1/users/{user_id}/sources")
    def list_sources(self, user_id: str) -> TellingSources:
        """Who told us: the app, a model through MCP, or an import, by client."""

    @post("/v1/users/{user_id}/sources/remove")
    def forget_source(
        self,
        user_id: str,
        *,
        via: Literal["app", "mcp", "import"],
        client: Opt[str] = UNSET,
        dry_run: Opt[bool] = UNSET,
        reason: OptNone[str] = UNSET,
        idempotency_key: str | None = None,
    ) -> SourceForgotten:
        """Forget everything that one client told."""

    @get("/v1/users/{user_id}/episodes")
    def list_episodes(
        self,
        user_id: str,
        *,
        after: OptNone[str] = UNSET,
        conversation_id: OptNone[str] = UNSET,
        from_: OptNone[datetime] = UNSET,
        layer: OptNone[Literal["hot", "warm", "cold"]] = UNSET,
        limit: Opt[int] = UNSET,
        to: OptNone[datetime] = UNSET,
    ) -> Page[Episode]:
        """A user's episodes, newest first."""

    @post("/v1/users/{user_id}/episodes/close")
    def close_episodes(
        self, user_id: str, *, conversation_id: OptNone[str] = UNSET, idempotency_key: str | None = None
    ) -> Close:
        """End the running sessions of a user and cut them into episodes now."""

    @get("/v1/episodes/{episode_id}")
    def get_episode(self, episode_id: str) -> Episode:
        """One episode."""

    @post("/v1/episodes/{episode_id}/anchor")
    def anchor_episode(self, episode_id: str, *, is_anchor: bool, idempotency_key: str | None = None) -> Episode:
        """Keep an episode, or keep it no longer."""

    @post("/v1/episodes/{episode_id}/unpack")
    def unpack_episode(self, episode_id: str) -> UnpackedEpisode:
        """An episode with everything that was said in it; the access is noted."""

    @get("/v1/operations/{operation_id}")
    def get_operation(self, operation_id: str) -> Operation:
        """How far some work is: ask again until it has succeeded or failed."""

    @delete("/v1/operations/{operation_id}")
    def cancel_operation(self, operation_id: str) -> Operation:
        """End an import that is not over; what was stored of it stays."""
