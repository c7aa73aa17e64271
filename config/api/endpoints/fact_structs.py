"""Request and response structs of facts and forgetting."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import Instant, PageQuery, RequestBody
from config.api.describing import FactId, MessageId, Moment, NextCursor, about, one_of
from config.api.endpoints.structs import FactChangeAnswer, Role
from memory.types import (
    EPISTEMIC_TYPES,
    EXTRACTED_FROM,
    KNOWLEDGE_TYPES,
    PROVENANCES,
    ExtractedOnlyType,
    GuaranteedType,
)

VALUE = about("The value: text, or a whole number.")

# --- facts ------------------------------------------------------------------------------------------------------------


class FactsQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which facts to list."""

    knowledge_type: Annotated[GuaranteedType | ExtractedOnlyType | None, about("Only facts of this type.")] = None
    include: Annotated[
        Literal["inactive"] | None,
        about("`inactive`: also facts that are closed, superseded or expired. With `as_of`, at that moment."),
    ] = None
    as_of: Annotated[
        Instant | None, about("The facts as they stood at this moment: what was said by then and still held.")
    ] = None


class FactExcerptView(msgspec.Struct, frozen=True):
    """The user's words in one message behind a fact. Of a long message: the beginning and the end."""

    message_id: MessageId
    text: Annotated[str, about("What it says.")]


class AdjustmentView(msgspec.Struct, frozen=True):
    """A step by which feedback on packs moved the confidence of a fact, at night."""

    at: Annotated[Moment, about("When it was done.")]
    rule: Annotated[
        str,
        one_of(
            ("positive_uses", "corrected_uses", "few_positive_uses"),
            "Why: at least 10 uses and more than 80 % positive; 5 uses and 2 corrections; 5 uses and under 30 %.",
        ),
    ]
    uses: Annotated[int, about("Packs with the fact that somebody judged since the step before.")]
    positive: Annotated[int, about("How many of them were called used or confirmed.")]
    corrected: Annotated[int, about("How many were called corrected, or ended in a doubt of the user.")]
    before: Annotated[float, about("The confidence before.")]
    after: Annotated[float, about("The confidence after.")]


class FactView(msgspec.Struct, frozen=True):
    """A fact with its evidence and provenance."""

    id: FactId
    knowledge_type: Annotated[str, one_of(KNOWLEDGE_TYPES, "What kind of fact it is.")]
    knowledge_key: Annotated[str, about("Which fact of its type: `size`, `wool`. One value is active under a key.")]
    value: Annotated[Any, VALUE]
    version: Annotated[int, about("Counts the values that this key has had, from 1.")]
    confidence: Annotated[float, about("How sure it is, from 0 to 1.")]
    extracted_from: Annotated[str, one_of(EXTRACTED_FROM, "How it came to be known.")]
    provenance: Annotated[str, one_of(PROVENANCES, "What it rests on.")]
    epistemic_type: Annotated[
        str,
        one_of(
            EPISTEMIC_TYPES,
            "How to take it. `outdated`: closed, expired, or not said again for longer than its type holds.",
        ),
    ]
    valid_at: Annotated[Moment, about("When it was said.")]
    invalid_at: Annotated[Moment | None, about("When it was closed or superseded. Null while it holds.")]
    expires_at: Annotated[Moment | None, about("When it ends by itself.")]
    last_validated_at: Annotated[Moment, about("When it was last said or confirmed.")]
    is_active: Annotated[bool, about("Whether it holds now; with `as_of`, whether it held then.")]
    is_disputed: Annotated[bool, about("Whether the user doubted it. A disputed fact is not asserted.")]
    superseded_by: Annotated[UUID | None, about("The fact that took its place.")]
    evidence_message_ids: Annotated[list[UUID], about("The messages in which the user said it.")]
    language: Annotated[str, about("The language it was said in. Empty when no message holds it.")]
    rule: Annotated[str | None, about("The rule that read it from a message.")]
    rule_version: Annotated[int | None, about("The version of that rule.")]
    excerpts: Annotated[
        list[FactExcerptView],
        about("The user's own words behind the fact, oldest first. Empty for onboarding and forms."),
    ] = []
    adjustments: Annotated[
        list[AdjustmentView],
        about("How feedback moved its confidence, oldest first. Only where one fact or its timeline is asked for."),
    ] = []


class FactPage(msgspec.Struct, frozen=True):
    """A page of facts."""

    results: Annotated[list[FactView], about("The facts in the order in which they were written.")]
    next: NextCursor


class FactBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact from onboarding, or one that the user entered in a form."""

    knowledge_type: Annotated[str, Meta(max_length=40, description="What kind of fact it is.")]
    value: Annotated[Any, VALUE]
    source: Annotated[Literal["onboarding", "explicit"], about("Where the user said it.")]
    knowledge_key: Annotated[
        str | None, about("Which fact of its type. Where it is not given, the value or the type names it.")
    ] = None
    expires_at: Annotated[Instant | None, about("When the fact ends; the end of that day is stored.")] = None


class FactsBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Facts to write: all of them or none."""

    facts: Annotated[list[FactBody], Meta(min_length=1, max_length=100, description="The facts.")]


class FactChangesAnswer(msgspec.Struct, frozen=True):
    """The changes to each fact."""

    facts: Annotated[list[FactChangeAnswer], about("For each fact of the request what was done, in the same order.")]


class FactActionBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why: a message, a reason in words, both or neither."""

    message_id: Annotated[UUID | None, about("The message in which the user said so.")] = None
    reason: Annotated[str, Meta(max_length=500, description="In words; kept sealed under the user's key.")] | None = (
        None
    )


class SpanMessageView(msgspec.Struct, frozen=True):
    """A message beside another one."""

    message_id: MessageId
    role: Annotated[str, one_of(Role.__args__, "Who spoke.")]
    text: Annotated[str, about("The beginning of what it says.")]


class EvidenceView(msgspec.Struct, frozen=True):
    """A message behind a fact, with one neighbour on either side."""

    message_id: MessageId
    role: Annotated[str, one_of(Role.__args__, "Who spoke.")]
    excerpt: Annotated[str, about("What it says; of a long message its beginning and its end.")]
    created_at: Annotated[Moment, about("When it was said.")]
    span: Annotated[list[SpanMessageView], about("The message before and the message after.")]


class FactVersion(msgspec.Struct, frozen=True):
    """One version of a key."""

    fact: Annotated[FactView, about("The fact as it stands now.")]
    evidence: Annotated[list[EvidenceView], about("The messages it rests on. Forgotten ones are not there.")]


class Timeline(msgspec.Struct, frozen=True):
    """Every version of a key, oldest first."""

    knowledge_type: Annotated[str, one_of(KNOWLEDGE_TYPES, "What kind of fact it is.")]
    knowledge_key: Annotated[str, about("Which fact of its type.")]
    results: Annotated[list[FactVersion], about("The versions, oldest first.")]
    next: Annotated[None, about("Always null: a timeline is one page.")] = None


# --- forgetting -------------------------------------------------------------------------------------------------------

Reason = Annotated[str, Meta(max_length=500, description="In words; kept sealed under the user's key.")]


class ForgetMessageBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why, if there is something to say."""

    reason: Reason | None = None


class ForgetBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """First a dry run with `query` or `message_ids`, then its `plan_id`. `message_ids` without a dry run go at once."""

    query: (
        Annotated[str, Meta(min_length=1, max_length=8000, description="What the messages are about. Needs a dry run.")]
        | None
    ) = None
    message_ids: (
        Annotated[list[UUID], Meta(min_length=1, max_length=1000, description="Our ids of the messages.")] | None
    ) = None
    plan_id: Annotated[UUID | None, about("The `plan_id` of a dry run: exactly its messages are forgotten.")] = None
    dry_run: Annotated[bool, about("Only list what would be forgotten, and answer a `plan_id`.")] = False
    reason: Reason | None = None


class ForgetAnswer(msgspec.Struct, frozen=True):
    """Ids and counts of everything hidden, cleared, deactivated or restored. No text."""

    message_ids: Annotated[list[UUID], about("The messages that are forgotten or restored, or would be.")]
    batch_id: Annotated[UUID | None, about("The id of this forget, to undo it. Null for a dry run.")] = None
    plan_id: Annotated[UUID | None, about("Of a dry run: send it to carry out the plan.")] = None
    facts_deactivated: Annotated[list[UUID], about("Facts that rest on these messages and are closed now.")] = []
    facts_restored: Annotated[list[UUID], about("Facts that are active again.")] = []
    facts_left_inactive: Annotated[
        list[UUID], about("Facts that stay closed, because their key has a newer value.")
    ] = []
    descriptions_cleared: Annotated[
        list[UUID], about("Replies of the assistant whose description was cleared with them.")
    ] = []
    derived: Annotated[dict[str, int], about("How many derived rows were hidden or restored, by kind.")] = {}
    grace_until: Annotated[Moment | None, about("Until when it can be undone. After that the messages are erased.")] = (
        None
    )
