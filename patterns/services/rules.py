"""Rules and words as staff change them: tried on every rule's examples, then written as a new version (SPEC I-2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from patterns.lexicon import Entry
from patterns.lint import lint_rule
from patterns.models import LexiconEntry, Rule, RuleVersion
from patterns.pack import Pack, PackError, compile_packs
from patterns.pack import Rule as RuleText
from patterns.selectors import get_stored_pack
from patterns.selftest import ExampleFailure, list_failed_examples
from patterns.services.packs import make_rule_content, record_rule_version
from patterns.services.versions import raise_rule_set_version


class RuleRefused(Exception):
    """The change is not saved. `problems`: every reason, each a sentence for the person who made the change."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(f"{len(self.problems)} problems")


def list_rule_problems(rule: RuleText, *, tenant_id: UUID | None) -> list[str]:
    """Why a rule may not be saved: its text, its own examples, and other rules' examples that it would break.

    Compiles the tenant's whole set with the rule in it: about a second. Reads only.
    """
    problems = lint_rule(rule)
    if problems:
        return problems
    pack = get_stored_pack(tenant_id=tenant_id)
    return _list_new_failures(pack, replace_rule(pack, rule))


def list_entry_problems(entry: Entry, *, is_active: bool, tenant_id: UUID | None) -> list[str]:
    """Why an entry may not be saved: it has no words, or a rule's example comes out otherwise. Reads only."""
    if not entry.aliases:
        return ["an entry needs at least one word"]
    pack = get_stored_pack(tenant_id=tenant_id)
    return _list_new_failures(pack, replace_entry(pack, entry, is_active=is_active))


def replace_rule(pack: Pack, rule: RuleText) -> Pack:
    """The pack with one rule put in, exchanged or, when it is switched off, taken out. Pure."""
    others = tuple(one for one in pack.rules if one.slug != rule.slug)
    return replace(pack, rules=(*others, rule) if rule.is_active and rule.rollout_percent > 0 else others)


def replace_entry(pack: Pack, entry: Entry, *, is_active: bool) -> Pack:
    """The pack with one entry put in, exchanged or taken out. Pure."""
    name = (entry.category, entry.canonical, entry.language)
    others = tuple(one for one in pack.entries if (one.category, one.canonical, one.language) != name)
    return replace(pack, entries=(*others, entry) if is_active else others)


def save_rule(rule: RuleText, *, tenant_id: UUID | None, changed_by: str) -> Rule:
    """Write a rule as its next version and put it in force; a new slug makes a new rule. `tenant_id` None: for all.

    Raises RuleRefused. Writes the row, its history and the version that processes poll.
    """
    problems = list_rule_problems(rule, tenant_id=tenant_id)
    if problems:
        raise RuleRefused(problems)
    with transaction.atomic():
        row = Rule.objects.select_for_update().filter(slug=rule.slug, tenant_id=tenant_id).first()
        if row is None:
            row = Rule(slug=rule.slug, tenant_id=tenant_id, version=0)
        for name, value in make_rule_content(rule).items():
            setattr(row, name, value)
        row.version += 1
        row.changed_at = Now()
        row.save()
        row.refresh_from_db()
        record_rule_version(row, changed_by=changed_by)
        raise_rule_set_version()
    return row


def restore_rule_version(*, rule: Rule, version: int, changed_by: str) -> Rule:
    """Save an earlier version of a rule as its newest one. Raises RuleRefused, RuleVersion.DoesNotExist. Writes."""
    kept = RuleVersion.objects.get(rule=rule, version=version)
    return save_rule(read_rule_content(rule.slug, kept.content), tenant_id=rule.tenant_id, changed_by=changed_by)


def read_rule_content(slug: str, content: dict[str, Any]) -> RuleText:
    """The rule that a row of the history keeps. Pure."""
    return RuleText(
        slug=slug,
        knowledge_type=content["knowledge_type"],
        language=content["language"],
        purpose=content["purpose"],
        kind=content["kind"],
        pattern=content["pattern"],
        positive=tuple(content["positive_examples"]),
        negative=tuple(content["negative_examples"]),
        category=content["category"],
        object_side=content["object_side"],
        rollout_percent=content["rollout_percent"],
        is_active=content["is_active"],
        literals=tuple(content["literals"]),
    )


def save_entry(entry: Entry, *, is_active: bool, tenant_id: UUID | None) -> LexiconEntry:
    """Write an entry of the lexicon and put it in force. `tenant_id` None: for all. Raises RuleRefused. Writes."""
    problems = list_entry_problems(entry, is_active=is_active, tenant_id=tenant_id)
    if problems:
        raise RuleRefused(problems)
    with transaction.atomic():
        row, _ = LexiconEntry.objects.update_or_create(
            category=entry.category,
            canonical=entry.canonical,
            language=entry.language,
            tenant_id=tenant_id,
            defaults={
                "aliases": list(entry.aliases),
                "forms": list(entry.forms),
                "is_active": is_active,
                "changed_at": Now(),
            },
        )
        raise_rule_set_version()
    return row


def _list_new_failures(before: Pack, after: Pack) -> list[str]:
    try:
        rule_set = compile_packs([after], version=0)
    except PackError as error:
        return list(error.problems)
    failures = list_failed_examples(rule_set)
    if failures:
        # A set that was broken before must not keep its own mending from being saved.
        known = set(list_failed_examples(compile_packs([before], version=0)))
        failures = [failure for failure in failures if failure not in known]
    return [_describe(failure, after) for failure in failures]


def _describe(failure: ExampleFailure, pack: Pack) -> str:
    rule = next(one for one in pack.rules if one.slug == failure.rule)
    text = (rule.positive if failure.is_positive else rule.negative)[failure.number]
    wish = "must be caught and is not" if failure.is_positive else "must be left alone and is caught"
    return f"{rule.slug}: “{text}” {wish}"
