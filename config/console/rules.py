"""Rules and words, changed: tried while somebody types, saved as a new version, one button to roll back (SPEC I-2)."""

from __future__ import annotations

from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.pages import console_page, render_page
from config.console.pattern_forms import EntryForm, RuleForm, ScopedForm, read_entry_initial, read_rule_initial
from config.console.samples import read_samples
from memory.errors import NotFound
from memory.tenants.access import get_access, is_installation_staff
from memory.tenants.services.audit import record_audit_event
from patterns.models import LexiconEntry, Rule, RuleVersion
from patterns.pack import PackError, compile_packs
from patterns.selectors import get_stored_pack
from patterns.services.history import restore_rule_version
from patterns.services.rules import RuleRefused, save_entry, save_rule
from patterns.services.trials import list_rule_problems, replace_rule

VERSIONS_SHOWN = 20


@console_page("edit_patterns")
def edit_rule(request: HttpRequest, rule_id: UUID | None = None) -> HttpResponseBase:
    """A rule's page: the form, what the rule does to its examples while somebody types, and its versions.

    An editor of one tenant who saves a shared rule makes the tenant's own, which takes the shared one's place there.
    """
    rule = _find_row(request, Rule, rule_id)
    form = RuleForm(
        request.POST or None,
        initial=read_rule_initial(rule) if rule else None,
        is_installation=is_installation_staff(request),
    )
    if rule:
        form.fields["slug"].widget.attrs["readonly"] = True
    if request.method == "POST" and form.is_valid():
        try:
            saved = save_rule(
                form.make_rule(), tenant_id=_get_target(request, form), changed_by=get_access(request).actor_code
            )
        except RuleRefused as error:
            _add_problems(form, error.problems)
        else:
            _audit(request, action="rule.save", object_type="rule", object_id=saved.id)
            messages.success(request, f"{saved.slug} version {saved.version} is in force within seconds.")
            return redirect("console:edit_rule", saved.id)
    title = f"Rule {rule.slug}, version {rule.version}" if rule else "New rule"
    return render_page(
        request,
        "console/rule.html",
        title=title,
        form=form,
        rule=rule,
        versions=_list_versions(rule),
        back_url=reverse("admin:patterns_rule_changelist"),
    )


@require_POST
@console_page("edit_patterns")
def check_rule(request: HttpRequest) -> HttpResponseBase:
    """What the rule in the form would do, as a part of the page: problems in words, its examples. Writes nothing."""
    form = RuleForm(request.POST, is_installation=is_installation_staff(request))
    if not form.is_valid():
        problems = [f"{form[name].label}: {error}" for name, errors in form.errors.items() for error in errors]
        return render(request, "console/rule_check.html", {"problems": problems, "samples": []})
    rule, tenant = form.make_rule(), get_access(request).tenant
    target = _get_target(request, form)
    problems = list_rule_problems(rule, tenant_id=target)
    try:
        rule_set = compile_packs([replace_rule(get_stored_pack(tenant_id=target), rule)], version=0)
    except PackError:
        return render(request, "console/rule_check.html", {"problems": problems, "samples": []})
    said_at = timezone.now().astimezone(ZoneInfo(tenant.timezone))
    samples = read_samples([*rule.positive, *rule.negative], rule_set=rule_set, said_at=said_at)
    return render(request, "console/rule_check.html", {"problems": problems, "samples": samples})


@require_POST
@console_page("edit_patterns")
def restore_rule(request: HttpRequest, rule_id: UUID, version: int) -> HttpResponseBase:
    """Put an earlier version back, as the newest one."""
    rule = _find_row(request, Rule, rule_id)
    if rule is None or (rule.tenant_id is None and not is_installation_staff(request)):
        raise NotFound("Only the installation's staff change rules that are for all tenants.")
    try:
        saved = restore_rule_version(rule=rule, version=version, changed_by=get_access(request).actor_code)
    except RuleVersion.DoesNotExist:
        raise NotFound("There is no such version.") from None
    except RuleRefused as error:
        for problem in error.problems:
            messages.error(request, problem)
    else:
        _audit(request, action="rule.restore", object_type="rule", object_id=saved.id)
        messages.success(request, f"Version {version} of {saved.slug} is back, as version {saved.version}.")
    return redirect("console:edit_rule", rule_id)


@console_page("edit_patterns")
def edit_entry(request: HttpRequest, entry_id: UUID | None = None) -> HttpResponseBase:
    """An entry of the lexicon: its words, tried on every rule's examples before they are saved."""
    entry = _find_row(request, LexiconEntry, entry_id)
    form = EntryForm(
        request.POST or None,
        initial=read_entry_initial(entry) if entry else None,
        is_installation=is_installation_staff(request),
    )
    if request.method == "POST" and form.is_valid():
        try:
            saved = save_entry(
                form.make_entry(), is_active=form.cleaned_data["is_active"], tenant_id=_get_target(request, form)
            )
        except RuleRefused as error:
            _add_problems(form, error.problems)
        else:
            _audit(request, action="lexicon.save", object_type="lexicon_entry", object_id=saved.id)
            messages.success(request, f"{saved.canonical} is in force within seconds.")
            return redirect("console:edit_entry", saved.id)
    return render_page(
        request,
        "console/entry.html",
        title=f"Words for {entry.canonical}" if entry else "New entry",
        form=form,
        entry=entry,
        back_url=reverse("admin:patterns_lexiconentry_changelist"),
    )


def _find_row(request: HttpRequest, model: Any, row_id: UUID | None) -> Any:
    """A shared row or one of the tenant; None when none is named. Raises NotFound."""
    if row_id is None:
        return None
    visible = Q(tenant_id=None) | Q(tenant_id=get_access(request).tenant.id)
    row = model.objects.filter(visible, id=row_id).first()
    if row is None:
        raise NotFound("There is no such row in this tenant.")
    return row


def _get_target(request: HttpRequest, form: ScopedForm) -> UUID | None:
    return form.get_tenant_id(get_access(request).tenant.id)


def _list_versions(rule: Rule | None) -> list[RuleVersion]:
    return list(rule.versions.order_by("-version")[:VERSIONS_SHOWN]) if rule else []


def _add_problems(form: ScopedForm, problems: tuple[str, ...]) -> None:
    for problem in problems:
        form.add_error(None, problem)


def _audit(request: HttpRequest, *, action: str, object_type: str, object_id: UUID) -> None:
    access = get_access(request)
    record_audit_event(
        tenant_id=access.tenant.id,
        actor=access.actor,
        action=action,
        now=timezone.now(),
        object_type=object_type,
        object_ids=[object_id],
    )
