"""The kinds of rows that are edited, each with its form, its service and its names: rules, words, lists, phrases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db.models import Max
from django.http import HttpRequest

from config.console.rules.forms import (
    EntryForm,
    ListForm,
    PhrasesForm,
    RuleForm,
    ScopedForm,
    read_entry_initial,
    read_list_initial,
    read_phrases_initial,
    read_rule_initial,
)
from corrections.backtests.selectors import list_recent_texts
from memory.tenants.access import get_access
from patterns.models import EntryVersion, LexiconEntry, Rule, RuleVersion
from patterns.selectors import find_open_version
from patterns.services.publishing import save_entry_draft, save_rule_draft


@dataclass(frozen=True, slots=True)
class Editor:
    """What the page of a row needs to know of its kind. URL names belong to the console."""

    form: type[ScopedForm]
    template: str
    page: str
    list_page: str
    new_title: str
    audited: str
    object_type: str
    read_initial: Callable[[Any, Any], dict[str, Any]]
    keep: Callable[[HttpRequest, Any], RuleVersion | EntryVersion]
    find_same: Callable[[Any, UUID | None], Rule | LexiconEntry | None]


def _keep_rule(request: HttpRequest, form: RuleForm) -> RuleVersion:
    access = get_access(request)
    return save_rule_draft(
        form.make_rule(),
        tenant_id=form.get_tenant_id(access.tenant.id),
        changed_by=access.actor_code,
        note=form.cleaned_data["note"],
        messages=list_recent_texts(tenant_id=access.tenant.id, limit=settings.UNDE_TUNING.RULE_TIMED_MESSAGES),
    )


def _keep_entry(request: HttpRequest, form: EntryForm | PhrasesForm) -> EntryVersion:
    access = get_access(request)
    return save_entry_draft(
        form.make_entry(),
        is_active=True,
        tenant_id=form.get_tenant_id(access.tenant.id),
        changed_by=access.actor_code,
        note=form.cleaned_data["note"],
    )


def _find_rule(form: RuleForm, tenant_id: UUID | None) -> Rule | None:
    return Rule.objects.filter(slug=form.cleaned_data["slug"], tenant_id=tenant_id).first()


def _find_entry(form: EntryForm | PhrasesForm, tenant_id: UUID | None) -> LexiconEntry | None:
    entry = form.make_entry()
    name = {"category": entry.category, "canonical": entry.canonical, "language": entry.language}
    return LexiconEntry.objects.filter(**name, tenant_id=tenant_id).first()


RULES: Final = Editor(
    form=RuleForm,
    template="console/rules/rule.html",
    page="console:edit_rule",
    list_page="admin:patterns_rule_changelist",
    new_title="New rule",
    audited="rule.draft",
    object_type="rule",
    read_initial=read_rule_initial,
    keep=_keep_rule,
    find_same=_find_rule,
)
WORDS: Final = Editor(
    form=EntryForm,
    template="console/rules/entry.html",
    page="console:edit_entry",
    list_page="admin:patterns_lexiconentry_changelist",
    new_title="New entry",
    audited="lexicon.draft",
    object_type="lexicon_entry",
    read_initial=read_entry_initial,
    keep=_keep_entry,
    find_same=_find_entry,
)
LISTS: Final = replace(
    WORDS,
    form=ListForm,
    template="console/rules/listed.html",
    list_page="console:word_lists",
    read_initial=read_list_initial,
)
PHRASES: Final = replace(
    WORDS,
    form=PhrasesForm,
    template="console/rules/phrases.html",
    list_page="admin:patterns_replyphrases_changelist",
    new_title="New reply phrases",
    read_initial=read_phrases_initial,
)


def get_newest(row: Rule | LexiconEntry | None) -> int:
    """The number of the newest version of a row, kept or not; 0 for one that is not there yet."""
    if row is None:
        return 0
    last: int | None = row.versions.aggregate(last=Max("version"))["last"]
    return max(last or 0, row.version)


def read_initial(editor: Editor, row: Rule | LexiconEntry | None) -> dict[str, Any]:
    """What the form shows first: the open draft where there is one, so that work goes on where it was left."""
    if row is None:
        return {"seen": 0}
    return editor.read_initial(row, find_open_version(row)) | {"seen": get_newest(row)}
