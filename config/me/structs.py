"""Bodies and answers of `/v1/me` and of links to the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

import msgspec
from django.conf import settings
from msgspec import Meta

from config.api.decoding import ExternalId, RequestBody
from config.api.describing import FactId, MessageId, Moment, NextCursor, about, one_of
from config.api.endpoints.consents.structs import Kinds
from config.me.reading import Known, Said, Source
from memory.consents.types import ConsentView
from memory.kept.types import KeptDocument
from memory.visits.types import LOCALES, PERMISSIONS, THEMES, Locale, Permission, Theme


class PageLinkBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the person may do on their page, and how it looks."""

    permissions: Annotated[list[Permission] | None, about("What may be done. Default: all that this key may do.")] = (
        None
    )
    locale: Annotated[Locale, about("The language of the page.")] = "en"
    theme: Annotated[Theme, about("`auto` follows the person's device.")] = "auto"
    return_url: Annotated[
        str, Meta(max_length=2000, description="Where the page leads back to: on a site of your settings.")
    ] = ""
    ttl_seconds: Annotated[
        int,
        Meta(ge=1, le=settings.UNDE_TUNING.MAX_LINK_SECONDS, description="How long the link may be opened."),
    ] = settings.UNDE_TUNING.LINK_SECONDS


class PageLink(msgspec.Struct, frozen=True):
    """A link that works once."""

    url: Annotated[str, about("Give it to the person's browser. Whoever opens it first has the session.")]
    expires_at: Annotated[Moment, about("Until when it may be opened.")]


class SessionBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A link, to be exchanged for a session."""

    link: Annotated[str, Meta(min_length=1, max_length=2500, description="The whole URL, or its last part.")]


class NewSessionAnswer(msgspec.Struct, frozen=True):
    """A session as a bearer: keep it in the memory of your script, never in storage."""

    token: Annotated[str, about("Send it as `Authorization: Bearer`.")]
    expires_at: Annotated[Moment, about("When the session ends.")]


class MeView(msgspec.Struct, frozen=True):
    """Who is here, and what may be done."""

    user_id: Annotated[ExternalId, about("The app's id of the person.")]
    permissions: Annotated[list[str], about("What may be done: " + ", ".join(PERMISSIONS) + ".")]
    locale: Annotated[str, one_of(LOCALES, "The language of the page.")]
    theme: Annotated[str, one_of(THEMES, "Its theme.")]
    expires_at: Annotated[Moment, about("When the session ends.")]
    paused_at: Annotated[Moment | None, about("Since when the memory is paused. Null when it is not.")]
    keeps_messages: Annotated[bool, about("Whether messages are kept during a pause.")]
    messages: Annotated[int, about("Messages that are kept and not forgotten.")]
    facts: Annotated[int, about("Facts that hold.")]
    form_token: Annotated[str, about("Send it as `X-Form-Token` with what changes something by a cookie.")]


class MyWords(msgspec.Struct, frozen=True):
    """Words that a fact rests on."""

    message_id: MessageId
    role: Annotated[str, about("Who said it.")]
    text: Annotated[str, about("What was said, shortened if long.")]
    said_at: Annotated[Moment, about("When.")]
    conversation_id: Annotated[str, about("In which conversation, by the app's id.")]


class MyFact(msgspec.Struct, frozen=True):
    """A fact as its person sees it."""

    id: FactId
    knowledge_type: Annotated[str, about("What kind of fact it is.")]
    knowledge_key: Annotated[str, about("What of.")]
    value: Annotated[Any, about("Its value.")]
    state: Annotated[str, about("active, disputed, expired, superseded or closed.")]
    since: Annotated[Moment, about("Since when it is known.")]
    expires_at: Annotated[Moment | None, about("Until when it holds.")]
    words: Annotated[
        list[MyWords], about("The words that it rests on. Empty: the app stated it, or they are forgotten.")
    ]
    used_in_replies: Annotated[int, about("In how many replies it was used, of those whose receipts are kept.")]
    last_used_at: Annotated[Moment | None, about("When it was used last.")]


class MyFacts(msgspec.Struct, frozen=True):
    """All that is known."""

    results: Annotated[list[MyFact], about("Facts that hold.")]
    past: Annotated[list[MyFact], about("Facts that do not hold any more.")]


class CorrectBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The right value."""

    value: Annotated[str, Meta(min_length=1, max_length=500, description="What is right.")]


class MyMessagesQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which part of which conversation."""

    conversation: Annotated[UUID | None, about("Our id of the conversation. Default: the latest.")] = None
    before: Annotated[int, Meta(ge=1, le=2_000_000_000, description="`older` of the page before.")] | None = None


class MyConversation(msgspec.Struct, frozen=True):
    """A conversation of the person."""

    id: Annotated[UUID, about("Our id.")]
    conversation_id: Annotated[str, about("The app's id.")]
    last_message_at: Annotated[Moment | None, about("When something was said last.")]


class MyMessages(msgspec.Struct, frozen=True):
    """A run of one conversation, oldest first."""

    conversations: Annotated[list[MyConversation], about("The latest conversations.")]
    conversation: Annotated[UUID | None, about("The one that is shown.")]
    results: Annotated[list[MyWords], about("What was said. What was forgotten is not there.")]
    older: Annotated[int | None, about("Send it as `before` to read what was said before. Null at the beginning.")]


class MyEpisodesQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place in the list."""

    after: Annotated[str, Meta(max_length=1000, description="`next` of the page before.")] | None = None


class MyEpisode(msgspec.Struct, frozen=True):
    """What was talked about, block by block."""

    id: Annotated[UUID, about("Our id.")]
    conversation_id: Annotated[str, about("In which conversation.")]
    started_at: Annotated[Moment, about("When it began.")]
    ended_at: Annotated[Moment, about("When it ended.")]
    headline: Annotated[str, about("Its most telling sentence.")]
    summary: Annotated[list[str], about("Sentences that were said in it.")]
    messages: Annotated[int, about("How many messages it has.")]


class MyEpisodes(msgspec.Struct, frozen=True):
    """Episodes, newest first."""

    results: Annotated[list[MyEpisode], about("Newest first.")]
    next: NextCursor


class MyItem(msgspec.Struct, frozen=True):
    """Something that the app keeps for the person."""

    id: Annotated[UUID, about("Our id.")]
    namespace: Annotated[list[str], about("Where the app keeps it.")]
    key: Annotated[str, about("Under which name.")]
    value: Annotated[dict[str, Any], about("What is kept.")]
    updated_at: Annotated[Moment, about("When it was changed last.")]


class MyItemsQuery(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place in the list."""

    start: Annotated[int, Meta(ge=0, le=1_000_000, description="`next` of the page before.")] = 0


class MyItems(msgspec.Struct, frozen=True):
    """Kept items, the latest change first."""

    results: Annotated[list[MyItem], about("The latest change first.")]
    next: Annotated[int | None, about("Send it as `start` to read the next page. Null on the last page.")]


class MyForgetBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What to forget: a fact or messages to preview, or the plan of a preview to carry out."""

    fact_id: Annotated[UUID | None, about("Preview what goes with a fact.")] = None
    message_ids: (
        Annotated[list[UUID], Meta(min_length=1, max_length=1000, description="Preview what goes with messages.")]
        | None
    ) = None
    plan_id: Annotated[UUID | None, about("Carry out a preview.")] = None


class MyForget(msgspec.Struct, frozen=True):
    """What would go, or what went."""

    plan_id: Annotated[UUID | None, about("Of a preview: send it to carry it out. Null when the fact has no messages.")]
    batch_id: Annotated[UUID | None, about("Of a forget: with it it is undone.")]
    grace_until: Annotated[Moment | None, about("Until when it can be undone.")]
    messages: Annotated[list[MyWords], about("Of a preview: the messages that go.")]
    facts: Annotated[list[MyFact], about("Of a preview: the facts that go.")]
    message_ids: Annotated[list[UUID], about("The messages that went or came back.")]
    fact_ids: Annotated[list[UUID], about("The facts that went or came back.")]


class PauseView(msgspec.Struct, frozen=True):
    """Whether the memory is paused."""

    paused_at: Annotated[Moment | None, about("Since when. Null: it is in use.")]
    keeps_messages: Annotated[bool, about("Whether messages are kept during the pause.")]


class MyErasureBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A word that nobody types by mistake."""

    word: Annotated[str, Meta(max_length=40, description="`erase`, `удалить` or `حذف`.")]


class MyErasure(msgspec.Struct, frozen=True):
    """Everything is invisible from now on."""

    erasure_id: Annotated[UUID, about("Our id of the erasure.")]
    status: Annotated[str, about("How far it is.")]
    deadline: Annotated[Moment, about("Until when the rows are deleted too.")]
    url: Annotated[
        str, about("A page that says how far it is and has the certificate at the end. It needs no session.")
    ]


class ReplySource(msgspec.Struct, frozen=True):
    """Words or a fact that a reply was given, or was not."""

    fact: Annotated[MyFact | None, about("The fact, or null.")]
    words: Annotated[MyWords | None, about("The words, or null.")]
    reason: Annotated[str, about("Why it was left out, as a code. Empty for what was used.")]


class ReplySources(msgspec.Struct, frozen=True):
    """What one reply knew."""

    receipt_id: Annotated[UUID, about("The receipt of the reply.")]
    made_at: Annotated[Moment, about("When the pack was made.")]
    used: Annotated[list[ReplySource], about("What it was given.")]
    left_out: Annotated[list[ReplySource], about("What was considered and left out.")]
    degraded_reasons: Annotated[list[str], about("What it had to do without.")]


class MyConsent(msgspec.Struct, frozen=True):
    """A purpose as the person reads it, and what they say to it."""

    purpose: Annotated[str, about("The key of the purpose.")]
    name: Annotated[str, about("Its name in the language of the page.")]
    text: Annotated[str, about("What is kept and why.")]
    covers: Annotated[Kinds, about("What it covers.")]
    kept_days: Annotated[int | None, about("For how many days. Null: no limit.")]
    is_granted: Annotated[bool, about("Whether it holds.")]
    said_at: Annotated[Moment | None, about("When the person said so. Null: they were not asked.")]
    is_changeable: Annotated[bool, about("Whether the person may change it here.")]


class MyConsents(msgspec.Struct, frozen=True):
    """What the person agreed to."""

    results: Annotated[list[MyConsent], about("Every purpose of the app.")]
    withheld: Annotated[Kinds, about("What is not kept of the person.")]
    kept_days: Annotated[int | None, about("For how many days messages are kept. Null: no limit.")]
    erasure_id: Annotated[UUID | None, about("The erasure of all messages, where this call asked for it.")] = None


def view_consents(
    views: Sequence[ConsentView],
    withheld: Sequence[str],
    *,
    locale: str,
    kept_days: int | None,
    erasure_id: UUID | None = None,
) -> MyConsents:
    """What the person agreed to, as an answer."""
    results = [
        MyConsent(
            purpose=view.purpose.key,
            name=view.purpose.name(locale),
            text=view.purpose.text(locale),
            covers=list(view.purpose.covers),
            kept_days=view.purpose.kept_days,
            is_granted=view.is_granted,
            said_at=view.said_at,
            is_changeable=view.purpose.is_changeable,
        )
        for view in views
    ]
    return MyConsents(results, list(withheld), kept_days, erasure_id)


def view_said(one: Said) -> MyWords:
    """Words as an answer."""
    return MyWords(one.message_id, one.role, one.text, one.said_at, one.conversation)


def view_known(one: Known) -> MyFact:
    """A fact as an answer."""
    return MyFact(
        id=one.fact.id,
        knowledge_type=one.fact.knowledge_type,
        knowledge_key=one.fact.knowledge_key,
        value=one.fact.value,
        state=one.state,
        since=one.fact.valid_at,
        expires_at=one.fact.expires_at,
        words=[view_said(said) for said in one.words],
        used_in_replies=one.uses.replies,
        last_used_at=one.uses.last_at,
    )


def view_source(one: Source) -> ReplySource:
    """A source as an answer."""
    return ReplySource(
        fact=view_known(one.fact) if one.fact else None,
        words=view_said(one.said) if one.said else None,
        reason=one.reason,
    )


def view_item(one: KeptDocument) -> MyItem:
    """A kept item as an answer."""
    return MyItem(one.id, list(one.namespace), one.key, dict(one.value), one.updated_at)
