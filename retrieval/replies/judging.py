"""Looking at replies that name their pack: what they gave away and what they used (SPEC P-6, D-23).

After the reply is stored, in a transaction of its own: a reply is never lost or slowed under the user's lock for it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import DatabaseError, transaction

from memory.database.statements import execute
from memory.errors import CodedError, UserBusy, UserErased
from memory.facts.reading import list_facts_by_id
from memory.fence.user_lock import lock_user
from memory.ids import new_id
from memory.selectors.messages import list_messages_by_id, list_previous_messages
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import get_zone
from memory.types import Fact, RecordedMessage, UserRef
from patterns.registry import get_rule_set
from patterns.text.excerpts import PENDING_CHARACTERS, SPAN_CHARACTERS, make_excerpt, shorten
from patterns.text.normaliser import normalise
from retrieval.metrics import ANSWER_FINDINGS, ANSWERS_CHECKED
from retrieval.models import AnswerFinding, Feedback, MessageSnippet, RetrievalReceipt
from retrieval.pack.fact_words import list_fact_words
from retrieval.reasons import CHOSEN
from retrieval.receipts.reading import is_question_of
from retrieval.replies.answers import (
    Finding,
    ShownFact,
    ShownMessage,
    ShownPack,
    Utilisation,
    check_answer,
    measure_use,
)
from retrieval.replies.selectors import list_replies

logger = logging.getLogger(__name__)
UNUSED, USED = "unused", "used"
_WRITTEN = re.compile(r"[A-Z0-9]+(?:-[A-Z0-9]+)?\b")


def check_replies(*, tenant_id: UUID, message_ids: Sequence[UUID], now: datetime) -> dict[UUID, tuple[Finding, ...]]:
    """Compare stored assistant messages with the packs they name; what each gave away, by message.

    Messages that name no receipt, those whose receipt is gone, and those beyond a limit (`JUDGED_REPLIES`) are left
    out.
    Writes findings and computed signals, each once: the same message again gives the same answer. A part that cannot be
    read (a key that is away) is left out of the comparison; a database that fails ends it, for the replies are stored.
    """
    found: dict[UUID, tuple[Finding, ...]] = {}
    try:
        with tenant_scope(tenant_id) if message_ids else nullcontext():
            for user, reply, receipt in open_replies(message_ids[: settings.UNDE_TUNING.JUDGED_REPLIES]):
                found[reply.id] = check_reply(user=user, reply=reply, receipt=receipt, now=now)
    except (CodedError, DatabaseError) as error:
        logger.warning("replies were not compared with their packs: %s", type(error).__name__)
        found.clear()  # what was written for them went with the transaction
    return found


def open_replies(message_ids: Sequence[UUID]) -> list[tuple[UserRef, RecordedMessage, RetrievalReceipt]]:
    """The replies to compare. Nothing that is written about them is truth: a commit need not wait for the disk."""
    if not message_ids:
        return []
    execute("SELECT set_config('synchronous_commit', 'off', true)")
    return list_replies(message_ids)


def check_reply(
    *, user: UserRef, reply: RecordedMessage, receipt: RetrievalReceipt, now: datetime
) -> tuple[Finding, ...]:
    """One reply against its pack. Writes."""
    zone = get_zone(tenant_id=user.tenant_id)
    pack = read_shown_pack(user=user, reply=reply, receipt=receipt, zone=zone)
    findings = check_answer(reply.content, pack=pack, replied_on=reply.created_at.astimezone(zone).date())
    names = list_named_values(reply.content, tenant_id=user.tenant_id)
    use = measure_use(reply.content, pack=pack, names=names)
    try:
        with transaction.atomic():
            lock_user(user=user)
            store_findings(user=user, reply=reply, receipt=receipt, findings=findings, now=now)
            store_use(user=user, reply=reply, receipt=receipt, use=use, now=now)
    except (UserBusy, UserErased):
        pass  # signals may be lost, and nothing is written behind a fence (G-2)
    return tuple(findings)


def read_shown_pack(*, user: UserRef, reply: RecordedMessage, receipt: RetrievalReceipt, zone: ZoneInfo) -> ShownPack:
    """What the receipt's pack showed, in the words of now: what was forgotten since cannot be compared. Reads only."""
    cards = [
        message_id
        for message_id, reason in zip(receipt.chosen_ids, receipt.decision_reasons, strict=True)
        if reason == CHOSEN and message_id not in receipt.recent_ids
    ]
    named = {*cards, *receipt.span_ids, *receipt.pending_ids, *receipt.line_ids, *receipt.recent_ids}
    messages = list_messages_by_id(user=user, message_ids=named)
    parts = dict.fromkeys([*cards, *receipt.span_ids, *receipt.pending_ids, *receipt.line_ids])
    shown = [messages[each] for each in parts if each in messages]
    recent = [messages[each].content for each in receipt.recent_ids if each in messages]
    snippets = dict(
        MessageSnippet.objects.filter(user_id=user.id, message_id__in=cards).values_list("message_id", "snippet")
    )
    question = find_question(user=user, reply=reply, receipt=receipt)
    return ShownPack(
        receipt_id=receipt.id,
        question=question,
        said=recent,
        messages=[
            ShownMessage(
                message_id=message.id,
                text=_show(message, is_card=message.id in cards, is_span=message.id in receipt.span_ids),
                snippet=snippets.get(message.id, ""),
                said_on=message.created_at.astimezone(zone).date(),
                is_card=message.id in cards,
            )
            for message in shown
            if message.id not in receipt.recent_ids
        ],
        facts=read_shown_facts(user=user, receipt=receipt),
    )


def read_shown_facts(*, user: UserRef, receipt: RetrievalReceipt) -> list[ShownFact]:
    """The facts with the names of their values and the words behind them; none where they cannot be opened."""
    if not receipt.fact_ids:
        return []
    try:
        facts = list_facts_by_id(user=user, fact_ids=receipt.fact_ids)
    except CodedError:
        return []
    words = list_fact_words(user=user, facts=facts.values())
    shown = set(receipt.excerpt_ids) - set(receipt.recent_ids)
    return [
        ShownFact(
            fact.id,
            str(fact.value),
            frozenset(_name_value(fact)),
            tuple(excerpt.text for excerpt in words[fact.id] if excerpt.message_id in shown),
        )
        for fact in facts.values()
    ]


def list_named_values(text: str, *, tenant_id: UUID) -> set[str]:
    """The canonical values that a text names in any language, from the tenant's vocabulary; sizes and amounts as they
    stand."""
    lexicon = get_rule_set(tenant_id=tenant_id).lexicon
    written = {word for word in _WRITTEN.findall(text) if word.isupper() or word.isdigit() or "-" in word}
    return {match.canonical for match in lexicon.scan(normalise(text).tokens)} | written


def store_findings(
    *,
    user: UserRef,
    reply: RecordedMessage,
    receipt: RetrievalReceipt,
    findings: Iterable[Finding],
    now: datetime,
) -> int:
    """Write what a reply gave away, each thing once. Returns how many were given."""
    rows = [
        AnswerFinding(
            id=new_id(),
            tenant_id=user.tenant_id,
            user_id=user.id,
            receipt_id=receipt.id,
            assistant_message_id=reply.id,
            code=finding.code,
            message_id=finding.message_id,
            fact_id=finding.fact_id,
            created_at=now,
        )
        for finding in findings
    ]
    is_first = not AnswerFinding.objects.filter(user_id=user.id, assistant_message_id=reply.id).exists()
    AnswerFinding.objects.bulk_create(rows, ignore_conflicts=True)
    if is_first:
        ANSWERS_CHECKED.inc()
        for row in rows:
            ANSWER_FINDINGS.labels(row.code).inc()
    return len(rows)


def store_use(
    *, user: UserRef, reply: RecordedMessage, receipt: RetrievalReceipt, use: Utilisation, now: datetime
) -> int:
    """Write what a reply used as computed signals, apart from what people say (SPEC C-4). Returns how many."""
    about = [
        *(({"message_id": each}, USED) for each in sorted(use.used_messages)),
        *(({"message_id": each}, UNUSED) for each in sorted(use.unused_messages)),
        *(({"fact_id": each}, USED) for each in sorted(use.used_facts)),
    ]
    rows = [
        Feedback(
            id=new_id(),
            tenant_id=user.tenant_id,
            user_id=user.id,
            receipt_id=receipt.id,
            assistant_message_id=reply.id,
            signal=signal,
            is_computed=True,
            created_at=now,
            **item,
        )
        for item, signal in about
    ]
    return len(Feedback.objects.bulk_create(rows, ignore_conflicts=True))


def find_question(*, user: UserRef, reply: RecordedMessage, receipt: RetrievalReceipt) -> str:
    """The user's words that the reply answers: the message it names, else the one the pack was asked with, else the
    user's last. Empty when there is none. Reads only."""
    before = list_previous_messages(
        user=user,
        conversation_id=reply.conversation_id,
        before=reply.created_at,
        before_seq=reply.seq,
        limit=settings.UNDE_TUNING.JUDGED_QUESTION_WITHIN,
    )
    asked = [message for message in before if message.role == "user"]
    named = [message for message in asked if message.id == reply.reply_to_id]
    same = [message for message in asked if is_question_of(receipt, message.content, user=user)]
    return next((message.content for message in (*named, *same, *asked)), "")


def _show(message: RecordedMessage, *, is_card: bool, is_span: bool) -> str:
    if is_card:
        return make_excerpt(message.content, memory_type=message.memory_type)
    return shorten(message.content, limit=SPAN_CHARACTERS if is_span else PENDING_CHARACTERS)


def _name_value(fact: Fact) -> set[str]:
    value = str(fact.value)
    # The keys of measures ("size") name no value.
    return {value} if fact.knowledge_type in ("body_params", "budget") else {value, fact.knowledge_key}
