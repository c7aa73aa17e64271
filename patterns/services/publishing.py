"""A change on its way: draft, trial on some users, in force; each step a state of its version (SPEC I-2).

The backtest between draft and trial reads messages, which this room knows nothing of: who calls, sees to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from patterns.errors import RuleRefused
from patterns.matching.lexicon import Entry
from patterns.matching.phrases import is_phrases
from patterns.models import OPEN_STATES, PLANNED_STATES, EntryVersion, LexiconEntry, Rule, RuleVersion
from patterns.rule import Rule as RuleText
from patterns.selectors import find_used_version, get_next_version, read_entry_content, read_rule_content
from patterns.services.packs import make_rule_content, record_rule_version
from patterns.services.trials import Change, list_entry_problems, list_rule_problems, spell_rule
from patterns.services.versions import raise_rule_set_version


def save_rule_draft(
    rule: RuleText, *, tenant_id: UUID | None, changed_by: str, note: str = "", messages: Sequence[str] = ()
) -> RuleVersion:
    """Keep a rule as a draft: a version with a number that nobody is read by yet. `tenant_id` None: for all.

    Takes the place of an open draft of the same rule. `messages`: stored ones to time the pattern on. Raises
    RuleRefused. Writes.
    """
    rule = replace(spell_rule(rule), rollout_percent=rule.rollout_percent or 100)
    _refuse(list_rule_problems(rule, tenant_id=tenant_id, messages=messages))
    with transaction.atomic():
        row = _lock_rule(rule, tenant_id)
        if row.state == "draft":
            write_rule(row, make_rule_content(rule) | {"is_active": False})
        _close_open(row)
        return RuleVersion.objects.create(
            rule=row,
            version=get_next_version(row),
            content=make_rule_content(rule) | {"slug": rule.slug},
            changed_by=changed_by,
            state="draft",
            note=note,
        )


def save_entry_draft(
    entry: Entry, *, is_active: bool, tenant_id: UUID | None, changed_by: str, note: str = ""
) -> EntryVersion:
    """Keep an entry of the lexicon as a draft. Raises RuleRefused. Writes."""
    _refuse(list_entry_problems(entry, is_active=is_active, tenant_id=tenant_id))
    with transaction.atomic():
        row = _lock_entry(entry, tenant_id)
        _keep_baseline(row)
        if row.state == "draft":
            row.aliases, row.forms = list(entry.aliases), list(entry.forms)
            row.save(update_fields=["aliases", "forms"])
        _close_open(row)
        return EntryVersion.objects.create(
            entry=row,
            version=get_next_version(row),
            content=_make_entry_content(entry, is_active=is_active),
            changed_by=changed_by,
            state="draft",
            note=note,
        )


def start_canary(version: RuleVersion | EntryVersion, *, percent: int) -> RuleVersion | EntryVersion:
    """Let a share of the users be read by a draft, or change the share of one on trial (1 to 100). Writes.

    For rules and phrases of replies: words are shared by all rules, so a share of the users cannot have their own. The
    others go on with the version in force. Raises RuleRefused when the version is closed or fails meanwhile.
    """
    if not 1 <= percent <= 100:
        raise RuleRefused(["choose 1 to 100 % of the users for a trial"])
    with transaction.atomic():
        kept: RuleVersion | EntryVersion = _lock_open(type(version), version.pk)
        _refuse(list_trial_problems(kept))
        if kept.canary_percent != percent:
            kept.canary_since = Now()  # its figures begin anew: others are in it
        kept.state, kept.canary_percent = "canary", percent
        kept.save(update_fields=["state", "canary_percent", "canary_since"])
        raise_rule_set_version()
    return kept


def publish_rule_version(version: RuleVersion) -> Rule:
    """Put a draft or a version on trial in force for all its users. Raises RuleRefused. Writes."""
    with transaction.atomic():
        kept = _lock_open(RuleVersion, version.pk)
        row = Rule.objects.select_for_update().get(id=kept.rule_id)
        _refuse(list_rule_problems(read_version(kept), tenant_id=row.tenant_id))
        if kept.version <= find_used_version(row):
            kept.version = get_next_version(row)
        kept.state, kept.canary_percent = "published", 0
        kept.save(update_fields=["state", "canary_percent", "version"])
        _put_in_force(row, read_version(kept), kept.version)
        raise_rule_set_version()
    return row


def publish_entry_version(version: EntryVersion) -> LexiconEntry:
    """Put a draft of an entry in force. Raises RuleRefused. Writes."""
    with transaction.atomic():
        kept = _lock_open(EntryVersion, version.pk)
        row = LexiconEntry.objects.select_for_update().get(id=kept.entry_id)
        entry, is_active = read_entry_content(row, kept.content), bool(kept.content["is_active"])
        _refuse(list_entry_problems(entry, is_active=is_active, tenant_id=row.tenant_id))
        if row.state != "draft" and kept.version <= row.version:
            kept.version = get_next_version(row)
        kept.state, kept.canary_percent = "published", 0
        kept.save(update_fields=["state", "canary_percent", "version"])
        put_entry_in_force(row, entry, is_active=is_active, version=kept.version)
        raise_rule_set_version()
    return row


def discard_version(version: RuleVersion | EntryVersion) -> None:
    """Give up a draft or end a trial; the version in force reads everybody again. Raises RuleRefused. Writes."""
    with transaction.atomic():
        kept = _lock_open(type(version), version.pk)
        was_tried = kept.state == "canary"
        _close(kept, is_taken_back=was_tried)
        if was_tried:
            raise_rule_set_version()


def read_version(version: RuleVersion) -> RuleText:
    """The rule that a version holds. Reads its rule's name."""
    return read_rule_content(version.rule.slug, version.content, version=version.version)


def make_change(version: RuleVersion | EntryVersion) -> Change:
    """What a version would change, for trials and backtests."""
    if isinstance(version, RuleVersion):
        return Change(rule=read_version(version))
    content = version.content
    return Change(entry=read_entry_content(version.entry, content), is_active=bool(content["is_active"]))


def put_entry_in_force(row: LexiconEntry, entry: Entry, *, is_active: bool, version: int) -> None:
    """Write an entry's columns. Call in a transaction that raises the version of the rule set."""
    row.aliases, row.forms, row.is_active = list(entry.aliases), list(entry.forms), is_active
    row.state, row.quarantine_reason, row.version, row.changed_at = "published", "", version, Now()
    row.save()
    row.refresh_from_db()


def _put_in_force(row: Rule, rule: RuleText, version: int) -> None:
    row.state, row.quarantine_reason, row.version = "published", "", version
    write_rule(row, make_rule_content(rule))


def write_rule(row: Rule, content: Mapping[str, Any]) -> None:
    """Write these fields of a rule, and when it changed."""
    for name, value in content.items():
        setattr(row, name, value)
    row.changed_at = Now()
    row.save()
    row.refresh_from_db()


def _lock_rule(rule: RuleText, tenant_id: UUID | None) -> Rule:
    row = Rule.objects.select_for_update().filter(slug=rule.slug, tenant_id=tenant_id).first()
    if row is None:
        row = Rule(slug=rule.slug, tenant_id=tenant_id, state="draft", version=1)
        write_rule(row, make_rule_content(rule) | {"is_active": False})
    elif row.state != "draft" and not row.versions.filter(version=row.version).exists():
        record_rule_version(row, changed_by=row.pack or "unknown")
    return row


def _lock_entry(entry: Entry, tenant_id: UUID | None) -> LexiconEntry:
    name = {"category": entry.category, "canonical": entry.canonical, "language": entry.language}
    row = LexiconEntry.objects.select_for_update().filter(**name, tenant_id=tenant_id).first()
    if row is None:
        words = {"aliases": list(entry.aliases), "forms": list(entry.forms)}
        row = LexiconEntry.objects.create(**name, **words, tenant_id=tenant_id, state="draft", is_active=False)
    return row


def _keep_baseline(row: LexiconEntry) -> None:
    """Words of a pack have no history until somebody changes them: what they are now becomes its first line."""
    if row.state == "draft" or row.versions.filter(version=row.version).exists():
        return
    words = Entry(row.category, row.canonical, row.language, tuple(row.aliases), tuple(row.forms))
    EntryVersion.objects.create(
        entry=row,
        version=row.version,
        content=_make_entry_content(words, is_active=row.is_active),
        changed_by=row.pack or "unknown",
    )


def list_trial_problems(version: RuleVersion | EntryVersion) -> list[str]:
    """Why a version may not be tried on some users: as for all, and words are never tried. Reads only."""
    if isinstance(version, EntryVersion) and not is_phrases(version.entry.category):
        return ["words are shared by all rules, so they cannot be on trial. Publish them for all users"]
    return list_version_problems(version)


def list_version_problems(version: RuleVersion | EntryVersion) -> list[str]:
    """Why a version may not come into force as things are now. Reads only."""
    if isinstance(version, RuleVersion):
        return list_rule_problems(read_version(version), tenant_id=version.rule.tenant_id)
    row = version.entry
    entry, is_active = read_entry_content(row, version.content), bool(version.content["is_active"])
    return list_entry_problems(entry, is_active=is_active, tenant_id=row.tenant_id)


def _make_entry_content(entry: Entry, *, is_active: bool) -> dict[str, Any]:
    return {"aliases": list(entry.aliases), "forms": list(entry.forms), "is_active": is_active}


def _lock_open(model: Any, version_id: UUID) -> Any:
    kept = model.objects.select_for_update().filter(id=version_id, state__in=OPEN_STATES).first()
    if kept is None:
        raise RuleRefused(["this version is no longer a draft or a trial"])
    return kept


def _close_open(row: Rule | LexiconEntry) -> None:
    for kept in row.versions.select_for_update().filter(state__in=OPEN_STATES):
        was_tried = kept.state == "canary"
        _close(kept)
        if was_tried:
            raise_rule_set_version()


def _close(kept: Any, *, is_taken_back: bool = False) -> None:
    """End a draft or trial. A trial that somebody ended is taken back: what it taught rests on a mistake."""
    kept.state, kept.canary_percent = "discarded", 0
    if is_taken_back and isinstance(kept, RuleVersion):
        kept.withdraws = [kept.version]
    kept.save()
    end_plans(kept, ended_by="system", now=Now())


def end_plans(version: RuleVersion | EntryVersion, *, ended_by: str, now: Any) -> None:
    """Cancel what is planned for a version: when and by whom it was to be published. Writes."""
    plans = version.publications.filter(state__in=PLANNED_STATES)
    plans.update(state="cancelled", ended_by=ended_by, ended_at=now)


def _refuse(problems: list[str]) -> None:
    if problems:
        raise RuleRefused(problems)
