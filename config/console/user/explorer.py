"""One question through all stages of retrieval, drawn: read, found, weighed, kept back, sent (SPEC H-1, P-4).

Nothing is written but the audit trail. The question comes in a body and is in no address, so that no log holds it.
"""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.fields import set_choices
from config.console.pages import console_page, render_page
from config.console.user.pages import list_tabs
from memory.models import Conversation
from memory.profile.summary import get_profile
from memory.profile.types import Profile
from memory.selectors.messages import list_messages_by_id
from memory.tenants.access import get_access, has_permission, record_view
from retrieval.configuration import Pipeline, get_pipeline
from retrieval.explaining.picture import PackPicture, draw_picture, list_shown_ids
from retrieval.explaining.replay import OtherQuestion, PackParts, look_at_pack, replay_pack
from retrieval.models import RetrievalReceipt
from retrieval.pack.budget import INTENT_DEPTHS
from retrieval.receipts.reading import get_receipt
from retrieval.types import ContextQuery

MAX_CONVERSATIONS: Final = 50


class ExploreForm(forms.Form):
    """What a pack is asked for with."""

    query = forms.CharField(label="Question", max_length=8_000, widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}))
    conversation = forms.ChoiceField(label="Current conversation", required=False)
    max_tokens = forms.IntegerField(label="Tokens", required=False, min_value=1, max_value=1_000_000)
    intent = forms.ChoiceField(
        label="Intent", required=False, choices=[("", "none"), *((name, name) for name in INTENT_DEPTHS)]
    )
    mood = forms.CharField(label="Mood", required=False, max_length=40)

    def __init__(self, *args: Any, conversations: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, "conversation", [("", "new conversation"), *conversations])


@console_page("view_user_memory")
def explore_pack(request: HttpRequest, user_id: UUID) -> HttpResponseBase:
    """A question of now, as this user's: the form, and under it the picture of its pack."""
    profile = get_profile(tenant_id=get_access(request).tenant.id, user_id=user_id)
    if profile.fenced_at:
        return render_page(request, "console/refusal.html", title="This user is being erased", status=410)
    rows = Conversation.objects.filter(user_id=profile.user.id).order_by("-last_message_at", "-id")[:MAX_CONVERSATIONS]
    form = ExploreForm(request.POST or None, conversations=[(str(row.id), row.external_id) for row in rows])
    picture = None
    if request.method == "POST" and form.is_valid():
        note_view(request, profile, action="user.explore_pack")
        asked = form.cleaned_data
        pipeline = get_pipeline()
        query = ContextQuery(
            user=profile.user,
            text=asked["query"],
            conversation_id=UUID(asked["conversation"]) if asked["conversation"] else None,
            max_tokens=asked["max_tokens"],
            intent=asked["intent"],
            mood=asked["mood"],
            zone=ZoneInfo(get_access(request).tenant.timezone),
        )
        parts = look_at_pack(query, now=timezone.now(), pipeline=pipeline)
        picture = draw(parts, profile, pipeline, max_tokens=asked["max_tokens"])
    return render_explorer(request, profile, form=form, picture=picture)


@console_page("view_user_memory")
@require_POST
def replay_receipt(request: HttpRequest, receipt_id: UUID) -> HttpResponseBase:
    """The pack of a receipt made again as of its time: the reader brings the question, for a receipt holds no text."""
    receipt = get_receipt(receipt_id=receipt_id, tenant_id=get_access(request).tenant.id)
    profile = get_profile(tenant_id=receipt.tenant_id, user_id=receipt.user_id)
    note_view(request, profile, action="receipt.replay", receipt=receipt)
    pipeline = get_pipeline()
    if receipt.kind != "context":
        return redirect("admin:retrieval_retrievalreceipt_change", receipt.id)
    try:
        replay = replay_pack(receipt, question=request.POST.get("query", ""), pipeline=pipeline)
    except OtherQuestion:
        return render_page(request, "console/refusal.html", title="This is not the question of this pack", status=409)
    picture = draw(replay.parts, profile, pipeline, max_tokens=receipt.max_tokens)
    return render_explorer(request, profile, picture=picture, receipt=receipt, replay=replay)


def draw(parts: PackParts, profile: Profile, pipeline: Pipeline, *, max_tokens: int | None) -> PackPicture:
    """The picture with the words of every candidate on it: who asks why something was left out wants to read it."""
    found = list_messages_by_id(user=profile.user, message_ids=list_shown_ids(parts))
    texts = {message.id: message.content for message in found.values()}
    return draw_picture(parts, recipe=pipeline.recipe, total=max_tokens or pipeline.policy.total, texts=texts)


def render_explorer(request: HttpRequest, profile: Profile, **content: Any) -> HttpResponseBase:
    """The page, in the frame of the user's memory."""
    return render_page(
        request,
        "console/explorer.html",
        title="A question through all stages",
        profile=profile,
        user_tabs=list_tabs(profile, here="packs"),
        has_operate=has_permission(request, "operate"),
        **content,
    )


def note_view(request: HttpRequest, profile: Profile, *, action: str, receipt: RetrievalReceipt | None = None) -> None:
    """Audit a look at a user's words. Writes."""
    ids = [profile.user.id, *([receipt.id] if receipt else [])]
    record_view(request, action=action, object_type="user", object_ids=ids, now=timezone.now())
