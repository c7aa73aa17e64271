"""Bodies and answers of `/v1/purposes` and `/v1/users/{user_id}/consents`."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import msgspec
from django.conf import settings
from msgspec import Meta

from config.api.decoding import RequestBody
from config.api.describing import Moment, about
from memory.consents.types import ConsentView, PurposeView
from memory.types import KEPT_KINDS

Kinds = Annotated[list[str], Meta(extra_json_schema={"items": {"type": "string", "enum": list(KEPT_KINDS)}})]


class PurposeAnswer(msgspec.Struct, frozen=True):
    """What you keep of your users, and what for."""

    key: Annotated[str, about("The code under which users say yes or no to it.")]
    names: Annotated[dict[str, str], about("Its name by language.")]
    texts: Annotated[dict[str, str], about("What is kept and why, by language.")]
    covers: Annotated[
        Kinds,
        about(
            "What it covers. Of several purposes that cover a kind, one that is granted is enough to keep it. A kind"
            " that no purpose covers is kept."
        ),
    ]
    is_granted_by_default: Annotated[bool, about("What holds until the user says something.")]
    is_changeable: Annotated[bool, about("Whether the person may change it on their memory page.")]
    kept_days: Annotated[int | None, about("For how many days messages and items are kept for it. Null: no limit.")]


class PurposeList(msgspec.Struct, frozen=True):
    """The purposes of the tenant."""

    results: Annotated[list[PurposeAnswer], about("As they were made. There are few: the list has no pages.")]


class ConsentAnswer(msgspec.Struct, frozen=True):
    """What a user says to a purpose."""

    purpose: Annotated[str, about("The key of the purpose.")]
    is_granted: Annotated[bool, about("Whether it holds for the user.")]
    said_at: Annotated[Moment | None, about("When the user said so. Null: it is the default of the purpose.")]
    said_by: Annotated[str | None, about("Who passed it on: `key:`, `visit:` (the memory page) or `staff:` and an id.")]


class ConsentsAnswer(msgspec.Struct, frozen=True):
    """What a user says to all purposes, and what may not be kept of them."""

    results: Annotated[list[ConsentAnswer], about("Every purpose that holds.")]
    withheld: Annotated[Kinds, about("What is not kept of this user: no purpose that covers it is granted.")]


class ConsentsBody(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the user says, by the key of the purpose. Purposes that are not named stay as they are."""

    consents: Annotated[
        dict[str, bool],
        Meta(min_length=1, max_length=settings.UNDE_TUNING.MAX_PURPOSES, description="True: agreed. False: withdrawn."),
    ]


class ConsentsChanged(ConsentsAnswer, frozen=True):
    """What holds now, and what went because of it."""

    facts_closed: Annotated[int, about("Facts that were closed: no purpose covers their type any more.")]
    candidates_closed: Annotated[int, about("Unproven proposals that were dismissed.")]
    items_deleted: Annotated[int, about("Kept items that were deleted, older versions too.")]
    erasure_id: Annotated[UUID | None, about("The erasure of all messages, where none may be kept any more.")]


def answer_purpose(purpose: PurposeView) -> PurposeAnswer:
    """A purpose as an answer."""
    return PurposeAnswer(
        key=purpose.key,
        names=dict(purpose.names),
        texts=dict(purpose.texts),
        covers=list(purpose.covers),
        is_granted_by_default=purpose.is_granted_by_default,
        is_changeable=purpose.is_changeable,
        kept_days=purpose.kept_days,
    )


def answer_consent(view: ConsentView) -> ConsentAnswer:
    """What a user says to a purpose, as an answer."""
    return ConsentAnswer(view.purpose.key, view.is_granted, view.said_at, view.actor)
