"""The list of corpora, a corpus's own page, and its schema."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec
from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone

from config.console.knowledge.frame import OPERATORS, READERS, audit, find_corpus, render_corpus
from config.console.pages import console_page, describe_error, render_page
from memory.errors import CodedError, InvalidRequest
from memory.tenants.access import get_access, has_permission
from memory.tenants.scope import tenant_scope
from retrieval.knowledge.models import Plan, Snapshot
from retrieval.knowledge.schemas.schema import OWN, SHIPPED, SchemaBody
from retrieval.knowledge.selectors.corpora import get_corpus, list_corpora
from retrieval.knowledge.services.corpora import put_corpus
from retrieval.knowledge.settings import CorpusSettings

MAX_CORPORA: Final = 200
MAX_SCHEMA: Final = 200_000  # characters of JSON
HELP: Final = "JSON: types, edges, intents"
COUNTS: Final = ("documents", "records", "chunks", "entities", "aliases", "mentions", "edges")


class SchemaField(forms.CharField):
    """A schema as JSON."""

    widget = forms.Textarea(attrs={"rows": 14, "spellcheck": "false"})

    def clean(self, value: Any) -> SchemaBody | None:
        """The schema, None for nothing. Raises ValidationError that says where it is wrong."""
        text = (super().clean(value) or "").strip()
        if not text:
            return None
        try:
            return msgspec.json.decode(text.encode(), type=SchemaBody)
        except msgspec.MsgspecError as error:
            raise forms.ValidationError(f"This is not a schema: {error}") from None


class CorpusForm(forms.Form):
    """A new corpus."""

    external_id = forms.CharField(label="Id", max_length=128, help_text="your own id; it cannot be changed")
    name = forms.CharField(label="Name", max_length=200, required=False)
    shipped = forms.ChoiceField(label="Schema", choices=[*((name, name) for name in SHIPPED), (OWN, "your own")])
    own = SchemaField(label="Your own schema", required=False, max_length=MAX_SCHEMA, help_text=HELP)

    def read_schema(self) -> str | SchemaBody:
        """The schema that was chosen."""
        chosen = self.cleaned_data["shipped"]
        return self.cleaned_data["own"] or SchemaBody() if chosen == OWN else str(chosen)


class SchemaForm(forms.Form):
    """Another schema for a corpus."""

    own = SchemaField(label="Schema", max_length=MAX_SCHEMA, help_text=HELP)


@console_page(*READERS)
def show_corpora(request: HttpRequest) -> HttpResponseBase:
    """All corpora of the tenant; operators make new ones here."""
    tenant, can_operate = get_access(request).tenant, has_permission(request, *OPERATORS)
    form = CorpusForm(request.POST if request.method == "POST" and can_operate else None)
    if form.is_bound and form.is_valid():
        wanted = form.cleaned_data["external_id"]
        made = _put(request, form, external_id=wanted, schema=form.read_schema(), must_be_new=True)
        if made is not None:
            return redirect("console:corpus", made)
    corpora = list_corpora(tenant_id=tenant.id, after=None, limit=MAX_CORPORA)
    return render_page(
        request, "console/knowledge/corpora.html", title="Corpora", corpora=corpora, form=form, can_operate=can_operate
    )


@console_page(*READERS)
def show_corpus(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    """What is in a corpus, its versions, and what the last ingest did."""
    corpus = find_corpus(request, corpus_id)
    plan = Plan.objects.filter(corpus_id=corpus.id, state="active").first()
    snapshot = Snapshot.objects.filter(corpus_id=corpus.id).order_by("-version").values("version", "made_at").first()
    settings = msgspec.structs.asdict(msgspec.convert(corpus.settings, CorpusSettings))
    return render_corpus(
        request,
        corpus,
        "corpus",
        here="console:corpus",
        counts=[(name, getattr(corpus, name)) for name in COUNTS],
        plan=plan,
        snapshot=snapshot,
        settings=[(name.replace("_", " "), value) for name, value in settings.items()],
        last={part: sorted(corpus.last_ingest.get(part, {}).items()) for part in ("statuses", "errors", "warnings")},
    )


@console_page(*READERS)
def show_schema(request: HttpRequest, corpus_id: int) -> HttpResponseBase:
    """The schema of a corpus as JSON; operators set another one. Records that do not fit refuse it, with counts."""
    corpus = find_corpus(request, corpus_id)
    can_operate = has_permission(request, *OPERATORS)
    text = json.dumps(corpus.schema, ensure_ascii=False, indent=2)
    form = SchemaForm(request.POST if request.method == "POST" and can_operate else None, initial={"own": text})
    if form.is_bound and form.is_valid():
        made = _put(request, form, external_id=corpus.external_id, schema=form.cleaned_data["own"])
        if made is not None:
            return redirect("console:corpus_schema", made)
    return render_corpus(request, corpus, "schema", here="console:corpus", form=form, text=text)


def _put(
    request: HttpRequest, form: forms.Form, *, external_id: str, schema: str | SchemaBody, must_be_new: bool = False
) -> int | None:
    """Make or change a corpus; its number, None with the error in the form. A new one never changes another."""
    tenant_id = get_access(request).tenant.id
    try:
        with tenant_scope(tenant_id):
            is_new = put_corpus(
                tenant_id=tenant_id,
                external_id=external_id,
                name=form.cleaned_data.get("name") or None,
                schema=schema,
                settings=None,
                now=timezone.now(),
            )
            if must_be_new and not is_new:
                raise InvalidRequest("Another corpus has this id.", fields={"external_id": "is taken"})
    except CodedError as error:
        form.add_error(None, describe_error(error))
        return None
    corpus = get_corpus(tenant_id=tenant_id, external_id=external_id)
    audit(request, "corpus" if is_new else "schema", corpus)
    messages.success(request, "Corpus created." if is_new else "Schema saved.")
    return corpus.id
