"""Request and response structs, from which the OpenAPI document is generated.

Here are messages, users and conversations; facts and forgetting, searches and packs, receipts have files of their own.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import ExternalId, Instant, PageQuery, RequestBody
from config.api.describing import ErrorAnswer, MessageId, Moment, NextCursor, about, one_of, refer_to
from memory.types import CORRECTION_TYPES, FACT_ACTIONS, KNOWLEDGE_TYPES, MEMORY_TYPES
from retrieval.replies.answers import CODES

Role = Literal["user", "assistant", "system"]
MemoryType = Literal["chat", "fact", "event", "emotion", "preference"]
assert set(MemoryType.__args__) == set(MEMORY_TYPES)  # type: ignore[attr-defined]  # one list, said twice for the document

Limit = Annotated[int, Meta(ge=1, le=100, description="How many results at most.")]


# --- messages ---------------------------------------------------------------------------------------------------------


class ContentBlock(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a message: text, or a reference to a file. Of a reference only `text_fallback` is indexed."""

    type: Annotated[Literal["text", "image", "audio", "document"], about("`text`, or the kind of file.")]
    text: Annotated[str | None, about("The text of a `text` block.")] = None
    media_id: Annotated[str | None, about("Your id of the file. The file itself is never sent.")] = None
    text_fallback: Annotated[str | None, about("What the file says or shows, in words. This is indexed.")] = None
    security_status: Annotated[
        str | None, about("What your scanner says of the file. A block that is not safe is refused as `unsafe_block`.")
    ] = None


class MessageBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One message to store."""

    user_id: ExternalId
    conversation_id: ExternalId
    role: Annotated[Role, about("Who speaks. Facts are read from messages of the role `user` alone.")]
    content: Annotated[str | list[ContentBlock], about("The text, or a list of blocks.")]
    id: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=128,
                description=(
                    "Your own id of the message, unique in its conversation. The message can then be sent again after"
                    " any failure: it is stored once."
                ),
            ),
        ]
        | None
    ) = None
    created_at: Annotated[
        Instant | None,
        about("When it was said; now when it is not given. A time more than a day ahead is refused."),
    ] = None
    reply_to_id: Annotated[UUID | None, about("Our id of the message that this one answers.")] = None
    replaces_id: Annotated[
        UUID | None, about("Our id of the message of which this is an edit. The old one leaves facts, index and packs.")
    ] = None
    receipt_id: Annotated[
        UUID | None, about("Of a reply of the assistant: the receipt of the pack that it was made from.")
    ] = None
    speaker: Annotated[str, Meta(max_length=128, description="Display name of the speaker.")] = ""
    response_description: Annotated[
        str | None, about("Of a reply of the assistant: what it was about, in a few words. It is indexed.")
    ] = None
    memory_type: Annotated[MemoryType, about("What kind of message it is.")] = "chat"
    mood: Annotated[str, Meta(max_length=40, description="The mood of the speaker, in your own words.")] = ""
    metadata: Annotated[dict[str, Any], about("Your own JSON. Searches can filter by it.")] = {}
    wait_for_index: Annotated[
        bool, about("Answer when the vector is there; `indexed` in the answer says whether it is.")
    ] = False


class MessageBatchBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Up to 500 messages, each as in `POST /v1/messages`."""

    named_in_schema: ClassVar[tuple[type, ...]] = (MessageBody,)

    # Kept as bytes: one that does not fit is refused by itself.
    messages: Annotated[
        list[msgspec.Raw],
        Meta(
            min_length=1,
            max_length=500,
            description="The messages in the order in which they were said.",
            extra_json_schema={"items": refer_to(MessageBody)},
        ),
    ]


class FactChangeAnswer(msgspec.Struct, frozen=True):
    """The change of one fact by a message or a call."""

    id: Annotated[UUID, about("Our id of the fact as it is now.")]
    knowledge_type: Annotated[str, one_of(KNOWLEDGE_TYPES, "What kind of fact it is.")]
    knowledge_key: Annotated[str, about("Which fact of its type: `size`, `wool`. One value is active under a key.")]
    value: Annotated[Any, about("The value: text, or a whole number.")]
    action: Annotated[
        str,
        one_of(
            FACT_ACTIONS,
            "What happened. `superseded`: this is the new row, and `superseded_id` the old one. `renewed`: the same"
            " value was said again. `stored_inactive`: something newer is known, or its date has passed.",
        ),
    ]
    superseded_id: Annotated[UUID | None, about("The fact whose place this one took.")]
    confidence: Annotated[float, about("How sure it is, from 0 to 1.")]
    expires_at: Annotated[Moment | None, about("When the fact ends by itself: the end of the local day.")]


class CorrectionAnswer(msgspec.Struct, frozen=True):
    """A correction in a message and its effect."""

    id: Annotated[UUID, about("Our id of the correction.")]
    correction_type: Annotated[str, one_of(CORRECTION_TYPES, "In which way the stored fact was called wrong.")]
    fact_id: Annotated[
        UUID | None,
        about(
            "The fact it is about. Null when the message denies or doubts a claim of the assistant that is no stored"
            " fact: `action` is then `logged`, no fact changes, and the next pack asks for an apology."
        ),
    ]
    action: Annotated[
        str,
        one_of(
            (*FACT_ACTIONS, "logged", "item_closed"),
            "What was done. `logged`: noted, and no fact changed. `item_closed`: a taste or habit is held no more.",
        ),
    ]
    item_id: Annotated[UUID | None, about("The taste or habit that was closed.")] = None


class AnswerFindingView(msgspec.Struct, frozen=True):
    """One thing in a reply that its pack forbids (SPEC P-6): a code, and the message or fact it is about."""

    code: Annotated[str, one_of(CODES, "What the reply did.")]
    message_id: Annotated[UUID | None, about("The message that it gave away.")]
    fact_id: Annotated[UUID | None, about("The fact that it gave away.")]


class MessageAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The stored message, with its facts and corrections."""

    id: MessageId
    client_id: Annotated[str | None, about("Your own id, as it was sent.")]
    language: Annotated[str, about("The language that was recognised: `en`, `ru`, `ar`, `arabizi`, `mixed`, `other`.")]
    facts: Annotated[list[FactChangeAnswer], about("The facts that this message added or changed.")]
    corrections: Annotated[list[CorrectionAnswer], about("What this message said is wrong.")]
    withheld: Annotated[
        list[str],
        about(
            "Types of facts that the message holds and that were not kept: the user has not agreed (consent_missing)."
        ),
    ] = []
    answer_guard: Annotated[
        list[AnswerFindingView] | None,
        about("Only for a reply that names its receipt: what it gave away of its pack. Empty when nothing."),
    ] = None
    indexed: Annotated[
        bool | None,
        about("Only with `wait_for_index`: whether the vector is there. Where it is not, it follows later."),
    ] = None


class RefusedMessage(msgspec.Struct, frozen=True):
    """The answer to a message of a batch that was refused."""

    error: Annotated[ErrorAnswer, about("Why it was refused.")]


class MessageBatchAnswer(msgspec.Struct, frozen=True):
    """One answer for each message, in the order of the request."""

    named_in_schema: ClassVar[tuple[type, ...]] = (MessageAnswer, RefusedMessage)

    results: Annotated[
        list[dict[str, Any]],
        Meta(
            description='For each message its answer, or `{"error": ...}`. A refused one does not lose the others.',
            extra_json_schema={"items": refer_to(MessageAnswer, RefusedMessage)},
        ),
    ]


class MessagesQuery(PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page of messages, oldest first."""

    conversation_id: Annotated[ExternalId | None, about("Only messages of this conversation.")] = None


class MessageView(msgspec.Struct, frozen=True):
    """A message as it is stored."""

    id: MessageId
    client_id: Annotated[str | None, about("Your own id of the message.")]
    conversation_id: Annotated[str, about("Your id of the conversation.")]
    role: Annotated[str, one_of(Role.__args__, "Who spoke.")]
    content: Annotated[str, about("The text. Of a message in blocks: what was indexed, a line for each block.")]
    blocks: Annotated[list[dict[str, Any]] | None, about("The blocks as they were sent. Null for plain text.")]
    speaker: Annotated[str, about("Display name of the speaker.")]
    response_description: Annotated[str | None, about("What a reply of the assistant was about.")]
    memory_type: Annotated[str, one_of(MEMORY_TYPES, "What kind of message it is.")]
    mood: Annotated[str, about("The mood of the speaker, as it was sent.")]
    language: Annotated[str, about("The language that was recognised.")]
    metadata: Annotated[dict[str, Any], about("Your own JSON.")]
    created_at: Annotated[Moment, about("When it was said.")]
    received_at: Annotated[Moment, about("When we got it.")]
    reply_to_id: Annotated[UUID | None, about("Our id of the message that this one answers.")]
    replaces_id: Annotated[UUID | None, about("Our id of the message of which this is an edit.")]
    receipt_id: Annotated[UUID | None, about("The receipt of the pack that this reply was made from.")]


class MessagePage(msgspec.Struct, frozen=True):
    """A page of messages."""

    results: Annotated[list[MessageView], about("The messages, oldest first.")]
    next: NextCursor


# --- users ------------------------------------------------------------------------------------------------------------


class UserView(msgspec.Struct, frozen=True):
    """A user by your id and ours."""

    user_id: Annotated[str, about("Your id of the user.")]
    id: Annotated[UUID, about("Our id of the user.")]
    created_at: Annotated[Moment, about("When the user was first seen here.")]


class UserPage(msgspec.Struct, frozen=True):
    """A page of users."""

    results: Annotated[list[UserView], about("The users in the order in which they first came.")]
    next: NextCursor


class ConversationView(msgspec.Struct, frozen=True):
    """A conversation of a user."""

    conversation_id: Annotated[str, about("Your id of the conversation.")]
    id: Annotated[UUID, about("Our id of the conversation.")]
    messages: Annotated[int, about("How many messages it has.")]
    last_message_at: Annotated[Moment | None, about("When its latest message was said.")]
    created_at: Annotated[Moment, about("When it was first seen here.")]


class ConversationPage(msgspec.Struct, frozen=True):
    """A page of conversations."""

    results: Annotated[list[ConversationView], about("The conversations in the order in which they began.")]
    next: NextCursor
