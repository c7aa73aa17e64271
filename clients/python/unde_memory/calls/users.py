"""Calls about users: what is known of them, what they said it in, forgetting, erasure, keys, kept items."""

# No call has a body: `calling.py` sends it.
# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from unde_memory import types as t
from unde_memory.calling import Calls, delete, get, patch, post, put
from unde_memory.writing import UNSET


class UsersCalls(Calls):
    """Calls about users: what is known of them, what they said it in, forgetting, erasure, keys, kept items."""

    @get("/v1/erasures/{erasure_id}")
    def get_erasure(self, erasure_id: str) -> t.Erasure:
        """How far an erasure is: history, counts, and the certificate when it is completed."""

    @post("/v1/forgets/{batch_id}/restore")
    def restore_forget(self, batch_id: str, *, idempotency_key: str | None = None) -> t.Forgotten:
        """Undo a forget within its grace period."""

    @post("/v1/users/{user_id}/page-links")
    def page_link(self, user_id: str, *, permissions: Sequence[str] | None = UNSET, locale: str = UNSET,
            theme: str = UNSET, return_url: str = UNSET, ttl_seconds: int = UNSET,
            idempotency_key: str | None = None) -> t.PageLink:
        """A link to the person's own memory page, which works once."""

    @post("/v1/store/batch")
    def store_batch(self, operations: Sequence[Mapping[str, Any]]) -> t.StoreResults:
        """Several calls of the store in one request, in order."""

    @get("/v1/store/items")
    def get_item(self, *, key: str = UNSET, namespace: str = UNSET, refresh_ttl: bool | None = UNSET,
            version: int | None = UNSET) -> t.Item | None:
        """A kept document, or null when there is none."""

    @put("/v1/store/items")
    def put_item(self, *, namespace: Sequence[str], key: str, value: Mapping[str, Any],
            index: bool | Sequence[str] | None = UNSET, ttl: float | None = UNSET,
            if_version: int | None = UNSET) -> None:
        """Keep a document of a user under a namespace and a key."""

    @delete("/v1/store/items")
    def delete_item(self, *, namespace: Sequence[str] = UNSET, key: str) -> None:
        """Delete a kept document with all of its versions."""

    @post("/v1/store/items/search")
    def search_items(self, *, namespace_prefix: Sequence[str] = UNSET, filter: Mapping[str, Any] | None = UNSET,
            query: str | None = UNSET, limit: int | None = UNSET, offset: int | None = UNSET,
            refresh_ttl: bool | None = UNSET) -> t.Items:
        """Find kept documents under a namespace, by filter and by question."""

    @post("/v1/store/namespaces")
    def list_namespaces(self, *, prefix: Sequence[str] | None = UNSET, suffix: Sequence[str] | None = UNSET,
            max_depth: int | None = UNSET, limit: int | None = UNSET, offset: int | None = UNSET) -> t.Namespaces:
        """Namespaces that have documents in them."""

    @get("/v1/users")
    def list_users(self, *, after: str | None = UNSET, limit: int = UNSET) -> t.Page[t.User]:
        """Users in the order in which they first came."""

    @get("/v1/users/{user_id}/conversations")
    def list_conversations(self, user_id: str, *, after: str | None = UNSET,
            limit: int = UNSET) -> t.Page[t.Conversation]:
        """A user's conversations in the order in which they began."""

    @post("/v1/users/{user_id}/erasure")
    def erase(self, user_id: str, *, scope: Literal["all", "conversation", "messages", "range"] = UNSET,
            conversation_id: str | None = UNSET, message_ids: Sequence[str] | None = UNSET,
            from_: datetime | None = UNSET, to: datetime | None = UNSET, reason: str = UNSET) -> t.ErasureAccepted:
        """Erase a user or a part of one for good; invisible from the answer on."""

    @get("/v1/users/{user_id}/facts")
    def list_facts(self, user_id: str, *, after: str | None = UNSET, as_of: datetime | None = UNSET,
            include: Literal["inactive"] | None = UNSET, knowledge_type: str | None = UNSET,
            limit: int = UNSET) -> t.Page[t.Fact]:
        """What is known about a user, with evidence; as of any moment."""

    @put("/v1/users/{user_id}/facts")
    def put_facts(self, user_id: str, facts: Sequence[Mapping[str, Any]], *,
            idempotency_key: str | None = None) -> t.FactChanges:
        """Write facts from onboarding or a form; all of them or none."""

    @post("/v1/users/{user_id}/forget")
    def forget(self, user_id: str, *, query: str | None = UNSET, message_ids: Sequence[str] | None = UNSET,
            plan_id: str | None = UNSET, dry_run: bool = UNSET, reason: str | None = UNSET,
            idempotency_key: str | None = None) -> t.Forgotten:
        """Forget by query or ids: a dry run lists what would go, the run takes exactly that."""

    @get("/v1/purposes")
    def list_purposes(self) -> t.Purposes:
        """What you keep of your users, and what for."""

    @get("/v1/users/{user_id}/consents")
    def get_consents(self, user_id: str) -> t.Consents:
        """What a user says to your purposes, and what is not kept of them."""

    @put("/v1/users/{user_id}/consents")
    def set_consents(self, user_id: str, consents: Mapping[str, bool]) -> t.ConsentsChanged:
        """Pass on what a user agreed to or withdrew, by the key of the purpose."""

    @get("/v1/users/{user_id}/keys")
    def list_keys(self, user_id: str, *, after: str | None = UNSET, limit: int = UNSET) -> t.Page[t.UserKey]:
        """The working keys for one user."""

    @post("/v1/users/{user_id}/keys")
    def make_key(self, user_id: str, *, name: str = UNSET, scopes: Sequence[str] | None = UNSET,
            expires_at: datetime | None = UNSET, requests_per_minute: int | None = UNSET,
            idempotency_key: str | None = None) -> t.NewUserKey:
        """Make an API key that means this user in every call."""

    @delete("/v1/users/{user_id}/keys/{key_id}")
    def revoke_key(self, user_id: str, key_id: str) -> None:
        """Revoke a key for one user, from the next request on."""

    @get("/v1/users/{user_id}/messages")
    def list_messages(self, user_id: str, *, after: str | None = UNSET, conversation_id: str | None = UNSET,
            limit: int = UNSET) -> t.Page[t.Message]:
        """A user's messages, word for word, oldest first."""

    @get("/v1/quality")
    def get_quality(self, *, at: datetime | None = UNSET) -> dict[str, Any]:
        """The tenant's service levels as they were last measured, and what the governor did about them."""

    @get("/v1/users/{user_id}/receipts")
    def list_receipts(self, user_id: str, *, after: str | None = UNSET, fact_id: str | None = UNSET, limit: int = UNSET,
            message_id: str | None = UNSET) -> t.Page[t.ReceiptSummary]:
        """A user's receipts, newest first."""

    @post("/v1/facts/{fact_id}/confirm")
    def confirm_fact(self, fact_id: str, *, message_id: str | None = UNSET, reason: str | None = UNSET,
            idempotency_key: str | None = None) -> t.Fact:
        """A person says that a fact is right."""

    @post("/v1/facts/{fact_id}/dispute")
    def dispute_fact(self, fact_id: str, *, message_id: str | None = UNSET, reason: str | None = UNSET,
            idempotency_key: str | None = None) -> t.Fact:
        """A person doubts a fact."""

    @post("/v1/facts/{fact_id}/retract")
    def retract_fact(self, fact_id: str, *, message_id: str | None = UNSET, reason: str | None = UNSET,
            idempotency_key: str | None = None) -> t.Fact:
        """A person says that a fact is wrong."""

    @get("/v1/facts/{fact_id}")
    def get_fact(self, fact_id: str) -> t.Fact:
        """One fact, with the words it rests on; closed ones too."""

    @patch("/v1/facts/{fact_id}")
    def update_fact(self, fact_id: str, value: str | int | Mapping[str, Any], *, expires_at: datetime | None = UNSET,
            idempotency_key: str | None = None) -> t.Fact:
        """Give a fact another value, as the user states it: the fact that takes its place."""

    @delete("/v1/facts/{fact_id}")
    def delete_fact(self, fact_id: str, *, idempotency_key: str | None = None) -> t.Fact:
        """Close a fact that is wrong; it stays in the timeline."""

    @get("/v1/facts/{fact_id}/timeline")
    def get_timeline(self, fact_id: str) -> t.Timeline:
        """Every version of a fact's key, each with the words it rests on."""

    @get("/v1/users/{user_id}/sources")
    def list_sources(self, user_id: str) -> t.TellingSources:
        """Who told us: the app, a model through MCP, or an import, by client."""

    @post("/v1/users/{user_id}/sources/remove")
    def forget_source(self, user_id: str, *, via: Literal["app", "mcp", "import"], client: str = UNSET,
            dry_run: bool = UNSET, reason: str | None = UNSET, idempotency_key: str | None = None) -> t.SourceForgotten:
        """Forget everything that one client told."""

    @get("/v1/users/{user_id}/episodes")
    def list_episodes(self, user_id: str, *, after: str | None = UNSET, conversation_id: str | None = UNSET,
            from_: datetime | None = UNSET, layer: Literal["hot", "warm", "cold"] | None = UNSET, limit: int = UNSET,
            to: datetime | None = UNSET) -> t.Page[t.Episode]:
        """A user's episodes, newest first."""

    @post("/v1/users/{user_id}/episodes/close")
    def close_episodes(self, user_id: str, *, conversation_id: str | None = UNSET,
            idempotency_key: str | None = None) -> t.Close:
        """End the running sessions of a user and cut them into episodes now."""

    @get("/v1/episodes/{episode_id}")
    def get_episode(self, episode_id: str) -> t.Episode:
        """One episode."""

    @post("/v1/episodes/{episode_id}/anchor")
    def anchor_episode(self, episode_id: str, *, is_anchor: bool, idempotency_key: str | None = None) -> t.Episode:
        """Keep an episode, or keep it no longer."""

    @post("/v1/episodes/{episode_id}/unpack")
    def unpack_episode(self, episode_id: str) -> t.UnpackedEpisode:
        """An episode with everything that was said in it; the access is noted."""

    @get("/v1/operations/{operation_id}")
    def get_operation(self, operation_id: str) -> t.Operation:
        """How far some work is: ask again until it has succeeded or failed."""

    @delete("/v1/operations/{operation_id}")
    def cancel_operation(self, operation_id: str) -> t.Operation:
        """End an import that is not over; what was stored of it stays."""
