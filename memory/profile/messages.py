"""What one user said, a page of a conversation at a time, and what each message taught."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.conf import settings
from django.db.models import Case, TextField, Value, When

from memory.models import Action, Conversation, Message
from memory.profile.types import MessagePage
from memory.types import UserRef


def list_message_page(*, user: UserRef, conversation_id: UUID | None, before_seq: int | None) -> MessagePage:
    """The last messages of a conversation, or those before a place in it. The text of forgotten ones is not read."""
    rows = Conversation.objects.filter(user_id=user.id).order_by("-last_message_at", "-id")
    conversations = list(rows[: settings.UNDE_TUNING.SHOWN_CONVERSATIONS])
    chosen = next(
        (one for one in conversations if one.id == conversation_id), conversations[0] if conversations else None
    )
    if chosen is None:
        return MessagePage(conversations, None, [], None)
    said = Message.objects.filter(user_id=user.id, conversation_id=chosen.id)
    if before_seq is not None:
        said = said.filter(seq__lt=before_seq)
    text = Case(When(forgotten_at=None, then="content"), default=Value(""), output_field=TextField())
    fields = ("id", "seq", "role", "speaker", "created_at", "language", "memory_type", "forgotten_at", "replaces_id")
    page = list(said.order_by("-seq").values(*fields, text=text)[: settings.UNDE_TUNING.SHOWN_MESSAGES + 1])
    older = (
        page[settings.UNDE_TUNING.SHOWN_MESSAGES - 1]["seq"]
        if len(page) > settings.UNDE_TUNING.SHOWN_MESSAGES
        else None
    )
    return MessagePage(conversations, chosen, page[: settings.UNDE_TUNING.SHOWN_MESSAGES][::-1], older)


def list_taught_messages(*, user: UserRef, message_ids: Sequence[UUID]) -> dict[UUID, Counter[str]]:
    """What each message did to facts: changes with how many there were, for the marks beside it."""
    taught: dict[UUID, Counter[str]] = {}
    for action in Action.objects.filter(user_id=user.id, message_id__in=message_ids).order_by("position"):
        if action.message_id is not None:
            changes = (effect["action"].replace("_", " ") for effect in action.effects)
            taught.setdefault(action.message_id, Counter()).update(changes)
    return taught
