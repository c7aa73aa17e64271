"""A rule's page: the form, what the unsaved rule does as somebody types, what is on its way, its versions."""

from __future__ import annotations

from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.pages import console_page, render_page
from config.console.pattern_forms import EntryForm, RuleForm, ScopedForm, read_entry_initial, read_rule_initial
from config.console.rules.access import audit, find_row, find_status
from config.console.rules.progress import describe_progress
from config.console.samples import Sample, read_samples, split_samples
from corrections.backtests.selectors import list_recent_texts
from memory.tenants.access import get_access, is_installation_staff
from patterns.errors import RuleRefused
from patterns.lint import list_pattern_advice
from patterns.models import LexiconEntry, Rule
from patterns.pack import PackError
from patterns.registry import get_rule_set
from patterns.ruleset import RuleSet
from patterns.selectors import find_open_version, read_rule_content
from patterns.services.publishing import save_entry_draft, save_rule_draft
from patterns.services.trials import (
    TIMED_MESSAGES,
    Change,
    list_entry_problems,
    list_rule_problems,
    spell_rule,
    try_change,
)


@console_page("edit_patterns")
def edit_rule(request: HttpRequest, rule_id: UUID | None = None) -> HttpResponseBase:
    """A rule's page. Saving makes a draft: nobody is read by it before it is published.

    An editor of one tenant who saves a shared rule makes the tenant's own, which takes the shared one's place there.
    """
    rule = find_row(request, Rule, rule_id)
    form = RuleForm(request.POST or None, initial=_read_initial(rule), is_installation=is_installation_staff(request))
    if rule:
        form.fields["slug"].widget.attrs["readonly"] = True
    if request.method == "POST" and form.is_valid():
        access = get_access(request)
        try:
            draft = save_rule_draft(
                form.make_rule(),
                tenant_id=_get_target(request, form),
                changed_by=access.actor_code,
                note=form.cleaned_data["note"],
                messages=list_recent_texts(tenant_id=access.tenant.id, limit=TIMED_MESSAGES),
            )
        except RuleRefused as error:
            _add_problems(form, error.problems)
        else:
            audit(request, action="rule.draft", object_type="rule", object_id=draft.rule_id)
            messages.success(request, f"Version {draft.version} is kept as a draft. Nobody is read by it yet.")
            return redirect("console:edit_rule", draft.rule_id)
    return render_page(
        request,
        "console/rules/rule.html",
        title=f"Rule {rule.slug}" if rule else "New rule",
        form=form,
        row=rule,
        rules_status=find_status(request),
        back_url=reverse("admin:patterns_rule_changelist"),
        **describe_progress(request, rule),
    )


@require_POST
@console_page("edit_patterns")
def check_rule(request: HttpRequest) -> HttpResponseBase:
    """What the rule in the form would do, beside what is in force, as a part of the page. Writes nothing."""
    form = RuleForm(request.POST, is_installation=is_installation_staff(request))
    if not form.is_valid():
        return _show_check(request, _list_form_problems(form))
    rule, target = spell_rule(form.make_rule()), _get_target(request, form)
    live = get_rule_set(tenant_id=target)
    problems = list_rule_problems(rule, tenant_id=target, base=live)
    spelled = rule.pattern if rule.pattern != form.cleaned_data["pattern"] else ""
    more: dict[str, object] = {"advice": list_pattern_advice(form.cleaned_data["pattern"]), "spelled": spelled}
    try:
        tried = try_change(Change(rule=rule), base=live, tenant_id=target)
    except PackError:
        return _show_check(request, problems, **more)
    more |= {
        "typed": _read(request, split_samples(request.POST.get("messages", "")), tried, live, rule.slug),
        "wanted": _read(request, rule.positive, tried, live, rule.slug),
        "unwanted": _read(request, rule.negative, tried, live, rule.slug),
    }
    return _show_check(request, problems, **more)


@console_page("edit_patterns")
def edit_entry(request: HttpRequest, entry_id: UUID | None = None) -> HttpResponseBase:
    """An entry of the lexicon: its words, tried on every rule's examples and golden case; saving makes a draft."""
    entry = find_row(request, LexiconEntry, entry_id)
    form = EntryForm(
        request.POST or None, initial=_read_entry_initial(entry), is_installation=is_installation_staff(request)
    )
    if request.method == "POST" and form.is_valid():
        try:
            draft = save_entry_draft(
                form.make_entry(),
                is_active=True,
                tenant_id=_get_target(request, form),
                changed_by=get_access(request).actor_code,
                note=form.cleaned_data["note"],
            )
        except RuleRefused as error:
            _add_problems(form, error.problems)
        else:
            audit(request, action="lexicon.draft", object_type="lexicon_entry", object_id=draft.entry_id)
            messages.success(request, f"Version {draft.version} is kept as a draft. Nobody is read by it yet.")
            return redirect("console:edit_entry", draft.entry_id)
    return render_page(
        request,
        "console/rules/entry.html",
        title=f"Words for {entry.canonical}" if entry else "New entry",
        form=form,
        row=entry,
        rules_status=find_status(request),
        back_url=reverse("admin:patterns_lexiconentry_changelist"),
        **describe_progress(request, entry),
    )


@require_POST
@console_page("edit_patterns")
def check_entry(request: HttpRequest) -> HttpResponseBase:
    """What the words in the form would do to the typed messages and to every example. Writes nothing."""
    form = EntryForm(request.POST, is_installation=is_installation_staff(request))
    if not form.is_valid():
        return _show_check(request, _list_form_problems(form))
    entry, target = form.make_entry(), _get_target(request, form)
    problems = list_entry_problems(entry, is_active=True, tenant_id=target)
    live = get_rule_set(tenant_id=target)
    try:
        tried = try_change(Change(entry=entry), base=live, tenant_id=target)
    except PackError:
        return _show_check(request, problems)
    typed = _read(request, split_samples(request.POST.get("messages", "")), tried, live, "")
    return _show_check(request, problems, typed=typed)


def _read(
    request: HttpRequest, texts: list[str] | tuple[str, ...], tried: RuleSet, live: RuleSet, slug: str
) -> list[Sample]:
    said_at = timezone.now().astimezone(ZoneInfo(get_access(request).tenant.timezone))
    return read_samples(texts, rule_set=tried, said_at=said_at, live=live, slug=slug)


def _show_check(request: HttpRequest, problems: list[str], **context: object) -> HttpResponseBase:
    return render(request, "console/rules/check.html", {"problems": problems, **context})


def _read_initial(rule: Rule | None) -> dict[str, object] | None:
    """The form shows the open draft where there is one: work goes on where it was left."""
    if rule is None:
        return None
    initial = read_rule_initial(rule)
    version = find_open_version(rule)
    if version is not None:
        text = read_rule_content(rule.slug, version.content)
        initial |= {name: getattr(text, name) for name in ("knowledge_type", "language", "purpose", "kind")}
        initial |= {name: getattr(text, name) for name in ("pattern", "category", "object_side")}
        initial |= {"positive": "\n".join(text.positive), "negative": "\n".join(text.negative), "note": version.note}
    return initial


def _read_entry_initial(entry: LexiconEntry | None) -> dict[str, object] | None:
    if entry is None:
        return None
    initial = read_entry_initial(entry)
    version = find_open_version(entry)
    if version is not None:
        words, forms = version.content["aliases"], version.content["forms"]
        initial |= {"aliases": "\n".join(words), "forms_": "\n".join(forms), "note": version.note}
    return initial


def _get_target(request: HttpRequest, form: ScopedForm) -> UUID | None:
    return form.get_tenant_id(get_access(request).tenant.id)


def _list_form_problems(form: ScopedForm) -> list[str]:
    return [f"{form[name].label}: {error}" for name, errors in form.errors.items() for error in errors]


def _add_problems(form: ScopedForm, problems: tuple[str, ...]) -> None:
    for problem in problems:
        form.add_error(None, problem)
