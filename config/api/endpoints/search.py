"""The second flow's doors: search, the context pack, and the receipt that says why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.conf import settings
from django.db import OperationalError
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.authentication import check_scope
from config.api.endpoints.answers import make_tenant_ref
from config.api.endpoints.receipt_structs import (
    ANY_RECEIPT,
    LeftOutFactView,
    ReceiptPage,
    ReceiptsQuery,
    SignalView,
)
from config.api.endpoints.search_structs import ContextAnswer, ContextBody, SearchAnswer, SearchBody
from config.api.endpoints.structs import AnswerFindingView
from config.api.schema import describe
from config.api.views import ApiView
from memory.errors import FactsUnavailable, InvalidRequest
from memory.fence.user_lock import enter_user
from memory.selectors.users import get_user
from memory.tenants.scope import tenant_scope
from memory.tenants.types import Scope
from memory.types import UserRef
from retrieval.knowledge.answers.receipts import describe_receipt, find_answer_receipt
from retrieval.pack.budget import INTENT_DEPTHS
from retrieval.pipeline import build_context_pack, prepare, search_messages
from retrieval.receipts.reading import get_receipt, list_left_out_facts, list_receipts_using
from retrieval.replies.selectors import list_findings, list_signals
from retrieval.search.metadata import BadFilter, Expression, parse_filter
from retrieval.search.stages import PreparedQuestion, is_cancelled
from retrieval.search.statement import UserIndex, find_without_index, open_index
from retrieval.types import ContextPack, ContextQuery, SearchFilters, SearchQuery

T = TypeVar("T")

NOTHING: dict[str, Any] = {"results": [], "degraded_reason": None, "receipt_id": None}


class Search(ApiView):
    """`POST /v1/search`."""

    scopes = {"POST": Scope.READ}

    @describe(
        summary="Find messages of one user that answer a question",
        description=(
            "Searches by words and by vectors together. Each hit has what was said word for word, and the "
            "messages beside it that are needed to understand it. A user who is unknown has no hits."
        ),
        tag="retrieval",
        body=SearchBody,
        answers={200: SearchAnswer},
    )
    def post(self, request: Request) -> Response:
        body = self.read_body(SearchBody)
        metadata = to_metadata_filter(body.filters.metadata)
        prepared = prepare(body.query, tenant_id=self.caller.tenant_id)
        return Response(
            answer_in_time(lambda limit_ms, has_search: self.find(body, metadata, prepared, limit_ms, has_search))
        )

    def find(
        self,
        body: SearchBody,
        metadata: Expression | None,
        prepared: PreparedQuestion,
        limit_ms: int,
        has_search: bool,
    ) -> dict[str, Any]:
        """The answer from a transaction of its own, each statement under a time limit."""
        with open_scope(self.caller.tenant_id, limit_ms=limit_ms):
            index = open_user(self.caller.tenant_id, body.user_id, body.conversation_id, prepared, has_search)
            if index is None or (body.conversation_id and index.conversation_id is None):
                return NOTHING
            if index.silence:
                return {**NOTHING, "degraded_reason": index.silence}
            query = to_search_query(body, user=index.user, conversation_id=index.conversation_id, metadata=metadata)
            query = replace(query, has_search=has_search)
            return search_messages(query, now=timezone.now(), prepared=prepared, index=index).to_dict()


def open_scope(tenant_id: UUID, *, limit_ms: int) -> tenant_scope:
    """The transaction of a search or a pack: its first statement opens it, its receipt ends it."""
    return tenant_scope(tenant_id, statement_timeout_ms=limit_ms, opens_with_statement=True)


def open_user(
    tenant_id: UUID, external_id: str, conversation: str | None, prepared: PreparedQuestion, has_search: bool
) -> UserIndex | None:
    """The user with what a search reads; without `has_search` the user alone. None where there is no such user."""
    if has_search:
        return open_index(
            tenant_id=tenant_id, external_id=external_id, conversation=conversation, vector=prepared.vector
        )
    return find_without_index(tenant_id=tenant_id, external_id=external_id, conversation=conversation)


def answer_in_time(make: Callable[[int, bool], T]) -> T:
    """`make(time limit in ms, has_search)`, and where a statement of it was late once more without searching (P-8).

    The transaction that was late is gone; what needs no search is quick.
    """
    try:
        return make(settings.UNDE_SEARCH_DEADLINE_MS, True)
    except OperationalError as error:
        if not is_cancelled(error):
            raise
    return make(settings.UNDE_TUNING.STATEMENT_TIMEOUT_MS, False)


def to_search_query(
    body: SearchBody, *, user: Any, conversation_id: UUID | None, metadata: Expression | None
) -> SearchQuery:
    """The body as the room takes it."""
    return SearchQuery(
        user=user,
        text=body.query,
        top_k=body.top_k,
        filters=SearchFilters(
            roles=tuple(body.filters.roles) if body.filters.roles else None,
            memory_types=tuple(body.filters.memory_types) if body.filters.memory_types else None,
            created_from=body.filters.created_from,
            created_to=body.filters.created_to,
            conversation_id=conversation_id,
            metadata=metadata,
        ),
        as_of=body.as_of,
        trace=body.trace,
    )


def to_metadata_filter(data: dict[str, Any] | None) -> Expression | None:
    """The expression as the room takes it. Raises InvalidRequest naming the place."""
    if data is None:
        return None
    try:
        return parse_filter(data)
    except BadFilter as bad:
        path = f"filters.metadata.{bad.path}" if bad.path else "filters.metadata"
        raise InvalidRequest(fields={path: bad.reason}) from None


def check_intent(intent: str) -> None:
    """Raise InvalidRequest with the list of intents for one that is unknown; empty is none."""
    if intent and intent not in INTENT_DEPTHS:
        raise InvalidRequest(fields={"intent": f"must be one of {', '.join(INTENT_DEPTHS)}"})


class Context(ApiView):
    """`POST /v1/context`."""

    scopes = {"POST": Scope.READ}

    @describe(
        summary="The context pack: what the model should know for this reply, ready to send",
        description=(
            "Rules for the model, facts, earlier messages that answer the question, and the last messages of "
            "the conversation, within a budget of tokens. `rendered.messages` is ready for a chat-completions "
            "call. Send `receipt_id` with the reply that the model makes of it."
        ),
        tag="retrieval",
        body=ContextBody,
        answers={200: ContextAnswer},
        errors=(404, 409),
    )
    def post(self, request: Request) -> Response:
        body = self.read_body(ContextBody)
        check_intent(body.intent)
        if body.corpora:
            check_scope(self.caller, Scope.KNOWLEDGE_READ)
        prepared = prepare(body.query, tenant_id=self.caller.tenant_id)
        try:
            return Response(self.answer(body, prepared).to_dict())
        except FactsUnavailable as failure:
            if not body.allow_without_facts:
                raise
            # In a transaction of its own: the one before may be broken by what failed (D-38).
            return Response(self.answer(body, prepared, facts_missing=failure.code).to_dict())

    def answer(self, body: ContextBody, prepared: PreparedQuestion, *, facts_missing: str = "") -> ContextPack:
        """The pack in time. Raises FactsUnavailable unless it goes without facts."""
        now = timezone.now()

        def make(limit_ms: int, has_search: bool) -> ContextPack:
            return self.make_pack(body, prepared, now, limit_ms, has_search, facts_missing)

        return answer_in_time(make)

    def make_pack(
        self,
        body: ContextBody,
        prepared: PreparedQuestion,
        now: datetime,
        limit_ms: int,
        has_search: bool,
        facts_missing: str,
    ) -> ContextPack:
        """The pack in a transaction of its own, each statement under a time limit."""
        tenant_id = self.caller.tenant_id
        with open_scope(tenant_id, limit_ms=limit_ms):
            index = open_user(tenant_id, body.user_id, body.conversation_id, prepared, has_search)
            # A pack may be asked for before the first message is stored: the receipt needs a user to belong to.
            user = index.user if index else enter_user(tenant_id=tenant_id, external_id=body.user_id, now=now)
            query = ContextQuery(
                user=user,
                text=body.query,
                conversation_id=index.conversation_id if index else None,
                max_tokens=body.max_tokens,
                intent=body.intent,
                mood=body.mood,
                model=body.model,
                as_of=body.as_of,
                trace=body.trace,
                has_search=has_search,
                facts_missing=facts_missing,
                corpora=tuple(body.corpora),
                layers=body.layers,
                zone=make_tenant_ref(self.caller).zone,
            )
            if index and index.silence:
                query, index = query.pause(index.silence), None
            return build_context_pack(query, now=now, prepared=prepared, index=index)


class Receipt(ApiView):
    """`GET /v1/receipts/{id}`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="A receipt: why a search, a pack or an answer of a corpus held what it held",
        description=("Ids, scores and codes of everything that was considered, and no text."),
        tag="retrieval",
        path={"receipt_id": "The id that the pack or search answered."},
        answers={200: ANY_RECEIPT},
        errors=(404, 410),
    )
    def get(self, request: Request, receipt_id: UUID) -> Response:
        with self.in_tenant():
            answer = find_answer_receipt(tenant_id=self.caller.tenant_id, receipt_id=receipt_id)
            if answer is not None:
                return Response(describe_receipt(answer))
            receipt = get_receipt(tenant_id=self.caller.tenant_id, receipt_id=receipt_id)
            user = UserRef(id=receipt.user_id, tenant_id=receipt.tenant_id)
            findings = list_findings(user=user, receipt_id=receipt.id)
            signals = list_signals(user=user, receipt_id=receipt.id)
            left_out = list_left_out_facts(receipt)
        return Response(
            receipt.to_public_dict()
            | {
                "left_out_facts": [LeftOutFactView(fact_id, reason) for fact_id, reason in left_out],
                "answer_findings": [AnswerFindingView(f.code, f.message_id, f.fact_id) for f in findings],
                "signals": [
                    SignalView(s.signal, s.is_computed, s.message_id, s.fact_id, s.assistant_message_id)
                    for s in signals
                ],
            }
        )


class UserReceipts(ApiView):
    """`GET /v1/users/{user_id}/receipts`."""

    scopes = {"GET": Scope.READ}

    @describe(
        summary="A user's receipts, newest first",
        description=("Shows where a message or a fact was used."),
        tag="retrieval",
        query=ReceiptsQuery,
        path={"user_id": "Your id of the user."},
        answers={200: ReceiptPage},
        errors=(404,),
    )
    def get(self, request: Request, user_id: str) -> Response:
        query = self.read_query(ReceiptsQuery)
        tenant_id = self.caller.tenant_id
        before = self.read_after(query, "receipts", tuple[datetime, UUID])
        with self.in_tenant():
            rows = list_receipts_using(
                user=get_user(tenant_id=tenant_id, external_id=user_id),
                message_id=query.message_id,
                fact_id=query.fact_id,
                before=before,
                limit=query.limit + 1,
            )
        return self.answer_page(
            query,
            "receipts",
            rows,
            render=lambda row: row.to_public_dict(),
            position_of=lambda row: (row.created_at, row.id),
        )
