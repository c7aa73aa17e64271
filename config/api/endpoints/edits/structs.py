"""Structs of one message with its versions."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from config.api.decoding import Instant, RequestBody
from config.api.describing import MessageId, Moment, about
from config.api.endpoints.structs import ContentBlock, MemoryType, MessageAnswer, MessageView


class MessageWithVersion(MessageView, frozen=True, kw_only=True):
    """A message in its newest version. `id` is that of its first version and stays the same through all edits."""

    version_id: Annotated[UUID, about("Our id of the version that is shown. Searches and facts name versions.")]
    versions: Annotated[int, about("How many versions it has.")]


class EditBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What becomes different. A field that is left out stays as it is."""

    content: Annotated[str | list[ContentBlock] | None, about("The new text, or a list of blocks.")] = None
    id: Annotated[str, Meta(min_length=1, max_length=128, description="Your own id of the new version.")] | None = None
    created_at: Annotated[
        Instant | None, about("When the new version was said; now when it is not given. It counts from then on.")
    ] = None
    speaker: Annotated[str, Meta(max_length=128, description="Display name of the speaker.")] | None = None
    response_description: Annotated[
        str | None, about("Of a reply of the assistant: what it is about. New content without one has none.")
    ] = None
    memory_type: Annotated[MemoryType | None, about("What kind of message it is.")] = None
    mood: Annotated[str, Meta(max_length=40, description="The mood of the speaker.")] | None = None
    metadata: Annotated[dict[str, Any] | None, about("Your own JSON. It takes the place of the former as a whole.")] = (
        None
    )


class EditAnswer(MessageAnswer, frozen=True, omit_defaults=True, kw_only=True):
    """The edited message under its own id, and what the new version taught."""

    version_id: Annotated[UUID, about("Our id of the new version.")]


class VersionView(msgspec.Struct, frozen=True):
    """One version of a message."""

    version_id: MessageId
    event: Annotated[Literal["added", "edited"], about("How it came to be.")]
    content: Annotated[str, about("The text. Of a message in blocks: what was indexed, a line for each block.")]
    metadata: Annotated[dict[str, Any], about("Your own JSON.")]
    created_at: Annotated[Moment, about("When it was said.")]
    received_at: Annotated[Moment, about("When we got it.")]


class MessageHistory(msgspec.Struct, frozen=True):
    """Every version of a message, oldest first. Forgotten ones are not there."""

    id: MessageId
    results: Annotated[list[VersionView], about("The versions, oldest first.")]
    next: Annotated[None, about("Always null: a history is one page.")] = None
