"""Back to an earlier version, and off at once: the ways out that need no draft and no trial (SPEC I-2)."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from patterns.errors import RuleRefused
from patterns.matching.lexicon import Entry
from patterns.models import OPEN_STATES, EntryVersion, LexiconEntry, Rule, RuleVersion
from patterns.registry import RuleSetRefused, build_rule_set
from patterns.rules.pack import PackError
from patterns.selectors import (
    get_next_version,
    get_stored_pack,
    read_entry_content,
    read_rule_content,
    read_rule_row,
)
from patterns.services.packs import make_rule_content
from patterns.services.publishing import end_plans, put_entry_in_force, write_rule
from patterns.services.trials import list_entry_problems, list_rule_problems
from patterns.services.versions import raise_rule_set_version


def restore_rule_version(*, rule: Rule, version: int, changed_by: str) -> Rule:
    """Put an earlier version back in force, as the newest one; ends a draft or trial. One click, no trial (SPEC I-2).

    Raises RuleRefused when it fails today's examples, RuleVersion.DoesNotExist. Writes.
    """
    kept = RuleVersion.objects.get(rule=rule, version=version)
    with transaction.atomic():
        row = Rule.objects.select_for_update().get(id=rule.id)
        number = get_next_version(row)
        text = read_rule_content(row.slug, kept.content, version=number)
        problems = list_rule_problems(text, tenant_id=row.tenant_id)
        if problems:
            raise RuleRefused(problems)
        taken_back = _list_published(row, after=version)
        _end_open(row)
        row.state, row.quarantine_reason, row.version = "published", "", number
        write_rule(row, make_rule_content(text))
        _note_version(row, changed_by=changed_by, note=f"rolled back to version {version}", withdraws=taken_back)
        raise_rule_set_version()
    return row


def restore_entry_version(*, entry: LexiconEntry, version: int, changed_by: str) -> LexiconEntry:
    """As `restore_rule_version`, for the words of an entry."""
    kept = EntryVersion.objects.get(entry=entry, version=version)
    with transaction.atomic():
        row = LexiconEntry.objects.select_for_update().get(id=entry.id)
        words, is_active = read_entry_content(row, kept.content), bool(kept.content["is_active"])
        problems = list_entry_problems(words, is_active=is_active, tenant_id=row.tenant_id)
        if problems:
            raise RuleRefused(problems)
        number = get_next_version(row)
        _end_open(row)
        put_entry_in_force(row, words, is_active=is_active, version=number)
        _note_entry_version(row, changed_by=changed_by, note=f"rolled back to version {version}")
        raise_rule_set_version()
    return row


def quarantine_rule(*, slug: str, tenant_id: UUID | None, reason: str, changed_by: str) -> Rule:
    """Switch a rule off at once; `reason` is kept with it. Writes.

    With a tenant a shared rule of that name is off in that tenant alone, through a row of its own. Raises
    Rule.DoesNotExist, and RuleRefused where other rules' examples need it: no process would take such a set.
    """
    with transaction.atomic():
        row = Rule.objects.select_for_update().filter(slug=slug, tenant_id=tenant_id).first()
        if row is None:
            row = _copy_shared(slug, tenant_id)
        number, taken_back = get_next_version(row), _list_reading(row)
        _end_open(row)
        row.state, row.quarantine_reason, row.version = "quarantined", reason[:200], number
        write_rule(row, {"is_active": False})
        _note_version(row, changed_by=changed_by, note=f"quarantined: {reason}", withdraws=taken_back)
        _check_rest(tenant_id)
        raise_rule_set_version()
    return row


def quarantine_entry(*, entry: LexiconEntry, tenant_id: UUID | None, reason: str, changed_by: str) -> LexiconEntry:
    """Switch the words of an entry off at once. With a tenant a shared entry is off in that tenant alone. Writes.

    Raises RuleRefused where rules' examples need the words.
    """
    with transaction.atomic():
        row = entry
        if entry.tenant_id != tenant_id:
            row = _copy_shared_entry(entry, tenant_id)
        row = LexiconEntry.objects.select_for_update().get(id=row.id)
        _end_open(row)
        number = get_next_version(row)
        words = Entry(row.category, row.canonical, row.language, tuple(row.aliases), tuple(row.forms))
        put_entry_in_force(row, words, is_active=False, version=number)
        row.state, row.quarantine_reason = "quarantined", reason[:200]
        row.save(update_fields=["state", "quarantine_reason"])
        _note_entry_version(row, changed_by=changed_by, note=f"quarantined: {reason}")
        _check_rest(tenant_id)
        raise_rule_set_version()
    return row


def _check_rest(tenant_id: UUID | None) -> None:
    """Refuse what would keep the rest from coming into force. Golden cases are not asked: off is to lose facts."""
    try:
        build_rule_set(get_stored_pack(tenant_id=tenant_id), version=0)
    except RuleSetRefused as error:
        names = ", ".join(error.rules[:5])
        more = f" and {len(error.rules) - 5} more" if len(error.rules) > 5 else ""
        raise RuleRefused(
            [f"examples of other rules need it: {names}{more}. Switch those off first, or change it in a draft"]
        ) from None
    except PackError as error:
        raise RuleRefused(error.problems) from None


def _list_published(row: Rule, *, after: int) -> list[int]:
    """Versions after one that users were read by: what putting that one back takes back."""
    later = row.versions.filter(version__gt=after, state__in=("published", "canary"), content__is_active=True)
    return list(later.order_by("version").values_list("version", flat=True))


def _list_reading(row: Rule) -> list[int]:
    """The versions by which users are read now: what a quarantine takes back."""
    is_own = row.version > 0 and row.state != "draft"
    owner = row if is_own else Rule.objects.filter(slug=row.slug, tenant_id=None).exclude(state="draft").first()
    if owner is None:
        return []
    tried = owner.versions.filter(state="canary").values_list("version", flat=True)
    return [*([owner.version] if owner.is_active else []), *tried]


def _copy_shared(slug: str, tenant_id: UUID | None) -> Rule:
    shared = Rule.objects.exclude(state="draft").get(slug=slug, tenant_id=None)
    row = Rule(slug=slug, tenant_id=tenant_id, version=0)
    write_rule(row, make_rule_content(read_rule_row(shared)))
    return row


def _copy_shared_entry(entry: LexiconEntry, tenant_id: UUID | None) -> LexiconEntry:
    name = {"category": entry.category, "canonical": entry.canonical, "language": entry.language}
    words = {"aliases": entry.aliases, "forms": entry.forms, "version": 0}
    row, _ = LexiconEntry.objects.get_or_create(**name, tenant_id=tenant_id, defaults=words)
    return row


def _note_version(row: Rule, *, changed_by: str, note: str, withdraws: list[int]) -> None:
    content = make_rule_content(read_rule_row(row)) | {"slug": row.slug}
    RuleVersion.objects.create(
        rule=row, version=row.version, content=content, changed_by=changed_by, note=note[:200], withdraws=withdraws
    )


def _note_entry_version(row: LexiconEntry, *, changed_by: str, note: str) -> None:
    content = {"aliases": row.aliases, "forms": row.forms, "is_active": row.is_active}
    EntryVersion.objects.create(entry=row, version=row.version, content=content, changed_by=changed_by, note=note[:200])


def _end_open(row: Rule | LexiconEntry) -> None:
    for version in row.versions.filter(state__in=OPEN_STATES):
        end_plans(version, ended_by="system", now=Now())
    row.versions.filter(state__in=OPEN_STATES).update(state="discarded", canary_percent=0)
