"""The page of a rule, an entry or phrases: the form, what the unsaved text does as somebody types, its versions."""

from __future__ import annotations

from typing import Any, cast
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from config.console.navigation import mark_entry
from config.console.pages import console_page, render_page, show_refusal
from config.console.rules.access import NO_ENTRY, audit, find_row, find_status
from config.console.rules.advice import list_entry_advice, list_rule_advice
from config.console.rules.editors import LISTS, PHRASES, RULES, WORDS, Editor, get_newest, read_initial
from config.console.rules.facts import describe_resting
from config.console.rules.figures import describe_figures
from config.console.rules.forms import EntryForm, ListForm, PhrasesForm, RuleForm, ScopedForm, read_copy_initial
from config.console.rules.lists import describe_list, find_row_of_list, get_list
from config.console.rules.overview import show_rule
from config.console.rules.progress import describe_progress
from config.console.rules.refusals import list_refusals
from config.console.rules.replies import name_group, read_replies, read_reply_request
from config.console.rules.samples import Sample, read_samples, split_samples
from config.parameters import get_id
from memory.tenants.access import get_access, has_permission, is_installation_staff
from patterns.errors import RuleRefused
from patterns.matching.phrases import PHRASES as PREFIX
from patterns.matching.phrases import is_phrases
from patterns.matching.word_lists import is_listed
from patterns.models import LexiconEntry, Rule, RuleVersion
from patterns.registry import get_rule_set
from patterns.rules.pack import PackError
from patterns.rules.ruleset import RuleSet
from patterns.services.trials import Change, list_entry_problems, list_rule_problems, spell_rule, try_change


@console_page("edit_patterns", "operate")
def edit_rule(request: HttpRequest, rule_id: UUID | None = None) -> HttpResponseBase:
    """A rule's page. Saving makes a draft: nobody is read by it before it is published.

    An editor of one tenant who saves a shared rule makes the tenant's own, which takes the shared one's place there.
    Operators, whom a runbook leads here, see it without its form.
    """
    rule = find_row(request, Rule, rule_id)
    if not has_permission(request, "edit_patterns"):
        return show_refusal(request) if rule is None or request.method == "POST" else show_rule(request, rule)
    if rule is None and request.GET.get("copy"):
        copied = find_row(request, Rule, get_id(request.GET["copy"], missing=NO_ENTRY))
        return _edit(request, RULES, None, title=f"Copy of rule {copied.slug}", initial=read_copy_initial(copied))
    title = f"Rule {rule.slug}" if rule else RULES.new_title
    refusals = list_refusals(request, rule=rule.slug) if rule else []
    more = describe_resting(request, rule) | describe_figures(request, rule) if rule else {}
    return _edit(request, RULES, rule, title=title, refusals=refusals, **more)


@console_page("edit_patterns")
def edit_entry(request: HttpRequest, entry_id: UUID | None = None) -> HttpResponseBase:
    """Words of the lexicon or phrases of replies, tried on every example and golden case; saving makes a draft."""
    entry = find_row(request, LexiconEntry, entry_id)
    if entry is None:
        return _edit(request, WORDS, None, title=WORDS.new_title)
    if is_phrases(entry.category):
        return _edit(request, PHRASES, entry, title=f"Reply phrases: {_name_phrases(entry)}")
    if is_listed(entry.category):
        return _edit_listed(request, entry, category=entry.category, name=entry.canonical, language=entry.language)
    return _edit(request, WORDS, entry, title=f"Words for {entry.canonical}")


@console_page("edit_patterns")
def edit_new_listed(request: HttpRequest, name: str, language: str) -> HttpResponseBase:
    """Words of a list of grammar in a language that it has none in yet. Where it has, their page. Raises NotFound."""
    known = get_list(name, language=language)
    row = find_row_of_list(request, known, name, language)
    if row is not None:
        return redirect("console:edit_entry", row.id)
    return _edit_listed(request, None, category=known.category, name=name, language=language)


@console_page("edit_patterns")
def edit_new_phrases(request: HttpRequest) -> HttpResponseBase:
    """Phrases of a group in a language that has none yet."""
    return _edit(request, PHRASES, None, title=PHRASES.new_title)


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
    advice = list_rule_advice(form.cleaned_data["pattern"], rule, live)
    more: dict[str, object] = {"advice": advice, "spelled": spelled}
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


@require_POST
@console_page("edit_patterns")
def check_entry(request: HttpRequest) -> HttpResponseBase:
    """What the words in the form would do to the typed messages and to every example. Writes nothing."""
    kind = ListForm if is_listed(request.POST.get("category", "")) else EntryForm
    form = kind(request.POST, is_installation=is_installation_staff(request))
    if not form.is_valid():
        return _show_check(request, _list_form_problems(form))
    problems, tried, live = _try_entry(request, form)
    if tried is None:
        return _show_check(request, problems)
    typed = _read(request, split_samples(request.POST.get("messages", "")), tried, live, "")
    return _show_check(request, problems, typed=typed, advice=list_entry_advice(form.make_entry(), live))


@require_POST
@console_page("edit_patterns")
def check_phrases(request: HttpRequest) -> HttpResponseBase:
    """What the phrases in the form would make of the typed replies, and every golden reply. Writes nothing."""
    form = PhrasesForm(request.POST, is_installation=is_installation_staff(request))
    if not form.is_valid():
        return _show_check(request, _list_form_problems(form))
    problems, tried, live = _try_entry(request, form)
    asked = read_reply_request(request)
    if tried is None:
        return _show_check(request, problems)
    replies = read_replies(asked, rule_set=tried, live=live, said_at=_get_now(request))
    return _show_check(request, [*problems, *asked.problems], replies=replies)


def _edit_listed(
    request: HttpRequest, row: LexiconEntry | None, *, category: str, name: str, language: str
) -> HttpResponseBase:
    """The page of a list's words in one language, beside the others that the list has."""
    return _edit(
        request,
        LISTS,
        row,
        title=f"Grammar list {name}, {language}",
        name={"category": category, "canonical": name, "language": language},
        listed=describe_list(request, category=category, name=name),
    )


def _edit(
    request: HttpRequest,
    editor: Editor,
    row: Rule | LexiconEntry | None,
    *,
    title: str,
    name: dict[str, str] | None = None,
    initial: dict[str, Any] | None = None,
    **more: Any,
) -> HttpResponseBase:
    """`name`: the fields of a new row that are settled before it is written. `initial`: what its form shows first."""
    is_installation = is_installation_staff(request)
    initial = (name or {}) | read_initial(editor, row) | (initial or {})
    form = editor.form(request.POST or None, initial=initial, is_installation=is_installation)
    if row is not None or name:
        form.lock_name()
    if request.method == "POST" and form.is_valid():
        draft = _keep(request, editor, row, form)
        if draft is not None:
            subject_id = draft.rule_id if isinstance(draft, RuleVersion) else draft.entry_id
            audit(request, action=editor.audited, object_type=editor.object_type, object_id=subject_id)
            messages.success(request, f"Version {draft.version} is saved as a draft. It applies to nobody yet.")
            return redirect(editor.page, subject_id)
    mark_entry(request, editor.list_page)  # words, phrases and lists share one address
    return render_page(
        request,
        editor.template,
        title=title,
        form=form,
        row=row,
        rules_status=find_status(request),
        back_url=reverse(editor.list_page),
        tried=request.POST.get("messages", ""),
        **more,
        **describe_progress(request, row),
    )


def _keep(request: HttpRequest, editor: Editor, row: Rule | LexiconEntry | None, form: ScopedForm) -> Any:
    """The draft; None when it is refused, with the reasons on the form."""
    problem = _find_clash(request, editor, row, form)
    if problem:
        form.add_error(None, problem)
        return None
    try:
        return editor.keep(request, form)
    except RuleRefused as error:
        for problem in error.problems:
            form.add_error(None, problem)
        return None


def _find_clash(request: HttpRequest, editor: Editor, row: Rule | LexiconEntry | None, form: ScopedForm) -> str | None:
    """Whether somebody else was quicker: a row of that name is there, or a newer version than the one that was read."""
    same = editor.find_same(form, _get_target(request, form))
    if same is not None and (row is None or same.pk != row.pk):
        return "This name exists already. Open it from the list and change it there."
    newest = get_newest(row)
    if row is None or form.cleaned_data["seen"] in (None, newest):
        return None
    data = cast("QueryDict", form.data).copy()
    data["seen"] = str(newest)
    form.data = data
    return f"Version {newest} was saved while you had this open. See below what it changed. Save again to replace it."


def _name_phrases(entry: LexiconEntry) -> str:
    return f"{name_group(entry.category.removeprefix(PREFIX), entry.canonical)} ({entry.language})"


def _try_entry(request: HttpRequest, form: EntryForm | PhrasesForm) -> tuple[list[str], RuleSet | None, RuleSet]:
    """What is wrong with an entry, the set with it (None where it can not be made), and the set in force."""
    entry, target = form.make_entry(), _get_target(request, form)
    live = get_rule_set(tenant_id=target)
    problems = list_entry_problems(entry, is_active=True, tenant_id=target, base=live)
    try:
        return problems, try_change(Change(entry=entry), base=live, tenant_id=target), live
    except PackError:
        return problems, None, live


def _read(
    request: HttpRequest, texts: list[str] | tuple[str, ...], tried: RuleSet, live: RuleSet, slug: str
) -> list[Sample]:
    return read_samples(texts, rule_set=tried, said_at=_get_now(request), live=live, slug=slug)


def _get_now(request: HttpRequest) -> Any:
    return timezone.now().astimezone(ZoneInfo(get_access(request).tenant.timezone))


def _show_check(request: HttpRequest, problems: list[str], **context: object) -> HttpResponseBase:
    return render(request, "console/rules/check.html", {"problems": problems, **context})


def _get_target(request: HttpRequest, form: ScopedForm) -> UUID | None:
    return form.get_tenant_id(get_access(request).tenant.id)


def _list_form_problems(form: ScopedForm) -> list[str]:
    return [f"{form[name].label}: {error}" for name, errors in form.errors.items() for error in errors]
