"""Calls about users as a whole: lists, facts, forgetting, erasure, export, keys, kept items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from unde_memory.sync_sending import Sending
from unde_memory.transport import UNSET, UnsetType, fill, once, operation
from unde_memory.types import (
    Consents,
    ConsentsChanged,
    Conversation,
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
    Page,
    PageLink,
    Purposes,
    ReceiptSummary,
    StoreResults,
    User,
    UserKey,
)


class UsersCalls(Sending):
    """Calls about users as a whole: lists, facts, forgetting, erasure, export, keys, kept items."""

    @operation("GET /v1/erasures/{erasure_id}")
    def get_erasure(self, erasure_id: str) -> Erasure:
        """How far an erasure is: history, counts, and the certificate when it is completed."""
        return self.request("GET", fill("/v1/erasures/{erasure_id}", erasure_id=erasure_id), Erasure)

    @operation("POST /v1/forgets/{batch_id}/restore")
    def restore_forget(self, batch_id: str, *, idempotency_key: str | None = None) -> Forgotten:
        """Undo a forget within its grace period."""
        return self.request(
            "POST", fill("/v1/forgets/{batch_id}/restore", batch_id=batch_id), Forgotten, headers=once(idempotency_key)
        )

    @operation("POST /v1/users/{user_id}/page-links")
    def page_link(
        self,
        user_id: str,
        *,
        permissions: Sequence[str] | UnsetType | None = UNSET,
        locale: str | UnsetType = UNSET,
        theme: str | UnsetType = UNSET,
        return_url: str | UnsetType = UNSET,
        ttl_seconds: int | UnsetType = UNSET,
        idempotency_key: str | None = None,
    ) -> PageLink:
        """A link to the person's own memory page, which works once."""
        return self.request(
            "POST",
            fill("/v1/users/{user_id}/page-links", user_id=user_id),
            PageLink,
            body={
                "permissions": permissions,
                "locale": locale,
                "theme": theme,
                "return_url": return_url,
                "ttl_seconds": ttl_seconds,
            },
            headers=once(idempotency_key),
        )

    @operation("POST /v1/store/batch")
    def store_batch(self, operations: Sequence[Mapping[str, Any]]) -> StoreResults:
        """Several calls of the store in one request, in order."""
        return self.request("POST", "/v1/store/batch", StoreResults, body={"operations": operations})

    @operation("GET /v1/store/items")
    def get_item(
        self,
        *,
        key: str | UnsetType = UNSET,
        namespace: str | UnsetType = UNSET,
        refresh_ttl: bool | UnsetType | None = UNSET,
        version: int | UnsetType | None = UNSET,
    ) -> Item | None:
        """A kept document, or null when there is none."""
        item: Item | None = self.request(
            "GET",
            "/v1/store/items",
            Item | None,
            query={"key": key, "namespace": namespace, "refresh_ttl": refresh_ttl, "version": version},
        )
        return item

    @operation("PUT /v1/store/items")
    def put_item(
        self,
        *,
        namespace: Sequence[str],
        key: str,
        value: Mapping[str, Any],
        index: bool | Sequence[str] | UnsetType | None = UNSET,
        ttl: float | UnsetType | None = UNSET,
        if_version: int | UnsetType | None = UNSET,
    ) -> None:
        """Keep a document of a user under a namespace and a key."""
        self.request(
            "PUT",
            "/v1/store/items",
            None,
            body={
                "namespace": namespace,
                "key": key,
                "value": value,
                "index": index,
                "ttl": ttl,
                "if_version": if_version,
            },
        )

    @operation("DELETE /v1/store/items")
    def delete_item(self, *, namespace: Sequence[str] | UnsetType = UNSET, key: str) -> None:
        """Delete a kept document with all of its versions."""
        self.request("DELETE", "/v1/store/items", None, body={"namespace": namespace, "key": key})

    @operation("POST /v1/store/items/search")
    def search_items(
        self,
        *,
        namespace_prefix: Sequence[str] | UnsetType = UNSET,
        filter: Mapping[str, Any] | UnsetType | None = UNSET,
        query: str | UnsetType | None = UNSET,
        limit: int | UnsetType | None = UNSET,
        offset: int | UnsetType | None = UNSET,
        refresh_ttl: bool | UnsetType | None = UNSET,
    ) -> Items:
        """Find kept documents under a namespace, by filter and by question."""
        return self.request(
            "POST",
            "/v1/store/items/search",
            Items,
            body={
                "namespace_prefix": namespace_prefix,
                "filter": filter,
                "query": query,
                "limit": limit,
                "offset": offset,
                "refresh_ttl": refresh_ttl,
            },
        )

    @operation("POST /v1/store/namespaces")
    def list_namespaces(
        self,
        *,
        prefix: Sequence[str] | UnsetType | None = UNSET,
        suffix: Sequence[str] | UnsetType | None = UNSET,
        max_depth: int | UnsetType | None = UNSET,
        limit: int | UnsetType | None = UNSET,
        offset: int | UnsetType | None = UNSET,
    ) -> Namespaces:
        """Namespaces that have documents in them."""
        return self.request(
            "POST",
            "/v1/store/namespaces",
            Namespaces,
            body={"prefix": prefix, "suffix": suffix, "max_depth": max_depth, "limit": limit, "offset": offset},
        )

    @operation("GET /v1/users")
    def list_users(self, *, after: str | UnsetType | None = UNSET, limit: int | UnsetType = UNSET) -> Page[User]:
        """Users in the order in which they first came."""
        return self.request("GET", "/v1/users", Page[User], query={"after": after, "limit": limit})

    @operation("GET /v1/users/{user_id}/conversations")
    def list_conversations(
        self, user_id: str, *, after: str | UnsetType | None = UNSET, limit: int | UnsetType = UNSET
    ) -> Page[Conversation]:
        """A user's conversations in the order in which they began."""
        return self.request(
            "GET",
            fill("/v1/users/{user_id}/conversations", user_id=user_id),
            Page[Conversation],
            query={"after": after, "limit": limit},
        )

    @operation("POST /v1/users/{user_id}/erasure")
    def erase(
        self,
        user_id: str,
        *,
        scope: Literal["all", "conversation", "messages", "range"] | UnsetType = UNSET,
        conversation_id: str | UnsetType | None = UNSET,
        message_ids: Sequence[str] | UnsetType | None = UNSET,
        from_: datetime | UnsetType | None = UNSET,
        to: datetime | UnsetType | None = UNSET,
        reason: str | UnsetType = UNSET,
    ) -> ErasureAccepted:
        """Erase a user or a part of one for good; invisible from the answer on."""
        return self.request(
            "POST",
            fill("/v1/users/{user_id}/erasure", user_id=user_id),
            ErasureAccepted,
            body={
                "scope": scope,
                "conversation_id": conversation_id,
                "message_ids": message_ids,
                "from": from_,
                "to": to,
                "reason": reason,
            },
        )

    @operation("GET /v1/users/{user_id}/export")
    def export(self, user_id: str) -> Iterator[dict[str, Any]]:
        """Everything that is stored about a user, as JSON Lines."""
        for line in self.stream_lines(fill("/v1/users/{user_id}/export", user_id=user_id)):
            yield line

    @operation("GET /v1/users/{user_id}/facts")
    def list_facts(
        self,
        user_id: str,
        *,
        after: str | UnsetType | None = UNSET,
        as_of: datetime | UnsetType | None = UNSET,
        include: Literal["inactive"] | UnsetType | None = UNSET,
        knowledge_type: str | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
    ) -> Page[Fact]:
        """What is known about a user, with evidence; as of any moment."""
        return self.request(
            "GET",
            fill("/v1/users/{user_id}/facts", user_id=user_id),
            Page[Fact],
            query={
                "after": after,
                "as_of": as_of,
                "include": include,
                "knowledge_type": knowledge_type,
                "limit": limit,
            },
        )

    @operation("PUT /v1/users/{user_id}/facts")
    def put_facts(
        self, user_id: str, facts: Sequence[Mapping[str, Any]], *, idempotency_key: str | None = None
    ) -> FactChanges:
        """Write facts from onboarding or a form; all of them or none."""
        return self.request(
            "PUT",
            fill("/v1/users/{user_id}/facts", user_id=user_id),
            FactChanges,
            body={"facts": facts},
            headers=once(idempotency_key),
        )

    @operation("POST /v1/users/{user_id}/forget")
    def forget(
        self,
        user_id: str,
        *,
        query: str | UnsetType | None = UNSET,
        message_ids: Sequence[str] | UnsetType | None = UNSET,
        plan_id: str | UnsetType | None = UNSET,
        dry_run: bool | UnsetType = UNSET,
        reason: str | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> Forgotten:
        """Forget by query or ids: a dry run lists what would go, the run takes exactly that."""
        return self.request(
            "POST",
            fill("/v1/users/{user_id}/forget", user_id=user_id),
            Forgotten,
            body={"query": query, "message_ids": message_ids, "plan_id": plan_id, "dry_run": dry_run, "reason": reason},
            headers=once(idempotency_key),
        )

    @operation("GET /v1/purposes")
    def list_purposes(self) -> Purposes:
        """What you keep of your users, and what for."""
        return self.request("GET", "/v1/purposes", Purposes)

    @operation("GET /v1/users/{user_id}/consents")
    def get_consents(self, user_id: str) -> Consents:
        """What a user says to your purposes, and what is not kept of them."""
        return self.request("GET", fill("/v1/users/{user_id}/consents", user_id=user_id), Consents)

    @operation("PUT /v1/users/{user_id}/consents")
    def set_consents(self, user_id: str, consents: Mapping[str, bool]) -> ConsentsChanged:
        """Pass on what a user agreed to or withdrew, by the key of the purpose."""
        return self.request(
            "PUT",
            fill("/v1/users/{user_id}/consents", user_id=user_id),
            ConsentsChanged,
            body={"consents": consents},
        )

    @operation("GET /v1/users/{user_id}/keys")
    def list_keys(
        self, user_id: str, *, after: str | UnsetType | None = UNSET, limit: int | UnsetType = UNSET
    ) -> Page[UserKey]:
        """The working keys for one user."""
        return self.request(
            "GET",
            fill("/v1/users/{user_id}/keys", user_id=user_id),
            Page[UserKey],
            query={"after": after, "limit": limit},
        )

    @operation("POST /v1/users/{user_id}/keys")
    def make_key(
        self,
        user_id: str,
        *,
        name: str | UnsetType = UNSET,
        scopes: Sequence[str] | UnsetType | None = UNSET,
        expires_at: datetime | UnsetType | None = UNSET,
        requests_per_minute: int | UnsetType | None = UNSET,
        idempotency_key: str | None = None,
    ) -> NewUserKey:
        """Make an API key that means this user in every call."""
        return self.request(
            "POST",
            fill("/v1/users/{user_id}/keys", user_id=user_id),
            NewUserKey,
            body={"name": name, "scopes": scopes, "expires_at": expires_at, "requests_per_minute": requests_per_minute},
            headers=once(idempotency_key),
        )

    @operation("DELETE /v1/users/{user_id}/keys/{key_id}")
    def revoke_key(self, user_id: str, key_id: str) -> None:
        """Revoke a key for one user, from the next request on."""
        self.request("DELETE", fill("/v1/users/{user_id}/keys/{key_id}", user_id=user_id, key_id=key_id), None)

    @operation("GET /v1/users/{user_id}/messages")
    def list_messages(
        self,
        user_id: str,
        *,
        after: str | UnsetType | None = UNSET,
        conversation_id: str | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
    ) -> Page[Message]:
        """A user's messages, word for word, oldest first."""
        return self.request(
            "GET",
            fill("/v1/users/{user_id}/messages", user_id=user_id),
            Page[Message],
            query={"after": after, "conversation_id": conversation_id, "limit": limit},
        )

    @operation("GET /v1/quality")
    def get_quality(self, *, at: datetime | UnsetType | None = UNSET) -> dict[str, Any]:
        """The tenant's service levels as they were last measured, and what the governor did about them."""
        return self.request("GET", "/v1/quality", dict[str, Any], query={"at": at})

    @operation("GET /v1/users/{user_id}/receipts")
    def list_receipts(
        self,
        user_id: str,
        *,
        after: str | UnsetType | None = UNSET,
        fact_id: str | UnsetType | None = UNSET,
        limit: int | UnsetType = UNSET,
        message_id: str | UnsetType | None = UNSET,
    ) -> Page[ReceiptSummary]:
        """A user's receipts, newest first."""
        return self.request(
            "GET",
            fill("/v1/users/{user_id}/receipts", user_id=user_id),
            Page[ReceiptSummary],
            query={"after": after, "fact_id": fact_id, "limit": limit, "message_id": message_id},
        )
