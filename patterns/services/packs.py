"""Packs into rows and back. Rows that staff have edited stay as they are unless told otherwise."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import yaml
from django.db import transaction

from patterns.grammar.grammar import list_grammar_problems
from patterns.matching.lexicon import Entry
from patterns.matching.literals import list_required_literals
from patterns.matching.phrases import PHRASES, is_phrases
from patterns.models import LexiconEntry, Rule, RuleSetVersion, RuleVersion
from patterns.rule import Rule as RuleText
from patterns.rules.lint import lint_rules
from patterns.rules.pack import AS_IT_STANDS, PHRASES_FOLDER, Pack, PackError
from patterns.selectors import get_next_version, list_absent_lists, read_entry_row, read_rule_row
from patterns.services.versions import raise_rule_set_version


@dataclass(slots=True)
class PackDifference:
    """What an import did, by name; `kept`: edited by staff and therefore left alone."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    switched_off: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    unchanged: int = 0
    version: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written."""
        return not (self.added or self.changed or self.switched_off)


def import_pack(pack: Pack, *, is_forced: bool = False, check: Callable[[], object] | None = None) -> PackDifference:
    """Write a pack's rules and words as shared rows and raise the version if anything changed.

    `check` is called before anything is written, and only when there is something to: it raises to refuse the pack.
    Idempotent. Rows that staff edited are kept unless `is_forced`; rows that the pack no longer has are switched off.
    Raises PackError when a rule or a list of grammar has faults; then nothing is written.
    """
    difference = PackDifference()
    with transaction.atomic():
        RuleSetVersion.objects.get_or_create(id=1)
        row = RuleSetVersion.objects.select_for_update().get(id=1)
        digest = digest_pack(pack)
        # Rows that are gone although the pack was loaded (a restored table, a hand at the database) come back as well.
        if row.pack_digests.get(pack.name) == digest and not is_forced and not list_absent_lists():
            difference.unchanged = len(pack.rules) + len(pack.entries)
            return difference
        problems = lint_rules(pack.rules) + _lint_grammar(pack)
        if problems:
            raise PackError(problems)
        if check is not None:
            check()
        _import_rules(pack, difference, is_forced=is_forced)
        _import_entries(pack, difference, is_forced=is_forced)
        row.pack_digests[pack.name] = digest
        RuleSetVersion.objects.filter(id=1).update(pack_digests=row.pack_digests)
        if not difference.is_empty:
            difference.version = raise_rule_set_version()
    return difference


def _lint_grammar(pack: Pack) -> list[str]:
    return [
        f"{entry.category}/{entry.canonical}/{entry.language}: {problem}"
        for entry in pack.entries
        for problem in list_grammar_problems(entry)
    ]


def digest_pack(pack: Pack) -> str:
    """A fingerprint of everything that an import writes."""
    rules = sorted(digest_rule(rule) for rule in pack.rules)
    entries = sorted(digest_entry(entry) for entry in pack.entries)
    return hashlib.sha256(json.dumps([rules, entries]).encode()).hexdigest()


def digest_rule(rule: RuleText) -> str:
    """A fingerprint of what a person can edit in a rule; versions and literals follow from it."""
    content = [
        rule.slug, rule.knowledge_type, rule.language, rule.purpose, rule.kind, rule.pattern, rule.category,
        rule.object_side, rule.rollout_percent, rule.is_active, list(rule.positive), list(rule.negative),
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def digest_entry(entry: Entry) -> str:
    """A fingerprint of an entry's words."""
    content = [entry.category, entry.canonical, entry.language, list(entry.aliases), list(entry.forms)]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def make_rule_content(rule: RuleText) -> dict[str, Any]:
    """The columns of a rule row that its text decides; the literals are worked out here, once."""
    return {
        "knowledge_type": rule.knowledge_type,
        "language": rule.language,
        "purpose": rule.purpose,
        "kind": rule.kind,
        "pattern": rule.pattern,
        "category": rule.category,
        "object_side": rule.object_side,
        "is_active": rule.is_active,
        "rollout_percent": rule.rollout_percent,
        "positive_examples": list(rule.positive),
        "negative_examples": list(rule.negative),
        "literals": list(list_required_literals(rule.pattern)) if rule.pattern else [],
    }


def _import_rules(pack: Pack, difference: PackDifference, *, is_forced: bool) -> None:
    rows = {row.slug: row for row in Rule.objects.filter(tenant_id__isnull=True)}
    for rule in pack.rules:
        row = rows.pop(rule.slug, None)
        digest = digest_rule(rule)
        if row is None:
            row = Rule(slug=rule.slug, pack=pack.name, pack_digest=digest, **make_rule_content(rule))
            row.save(force_insert=True)
            record_rule_version(row, changed_by=pack.name)
            difference.added.append(rule.slug)
        elif is_edited(row) and not is_forced:
            difference.kept.append(rule.slug)
        elif row.pack_digest == digest and not is_edited(row):
            difference.unchanged += 1
        else:
            _rewrite_rule(row, make_rule_content(rule), pack=pack.name, digest=digest)
            difference.changed.append(rule.slug)
    for row in rows.values():
        if row.pack == pack.name and row.is_active and not is_edited(row):
            gone = digest_rule(replace(read_rule_row(row), is_active=False))
            _rewrite_rule(row, {"is_active": False}, pack=pack.name, digest=gone)
            difference.switched_off.append(row.slug)


def is_edited(row: Rule) -> bool:
    """Whether staff have changed a rule that came from a pack."""
    return row.state != "published" or (bool(row.pack_digest) and digest_rule(read_rule_row(row)) != row.pack_digest)


def _rewrite_rule(row: Rule, content: dict[str, Any], *, pack: str, digest: str) -> None:
    for name, value in content.items():
        setattr(row, name, value)
    row.version = get_next_version(row)
    row.pack, row.pack_digest, row.state = pack, digest, "published"
    row.save()
    record_rule_version(row, changed_by=pack)


def record_rule_version(row: Rule, *, changed_by: str) -> RuleVersion:
    """Add the rule as it is now to its history. `changed_by`: a pack's name or a staff user's id."""
    rule = read_rule_row(row)
    content = make_rule_content(rule) | {"slug": rule.slug}
    return RuleVersion.objects.create(rule=row, version=row.version, content=content, changed_by=changed_by)


def _import_entries(pack: Pack, difference: PackDifference, *, is_forced: bool) -> None:
    rows = {(r.category, r.canonical, r.language): r for r in LexiconEntry.objects.filter(tenant_id__isnull=True)}
    added: list[LexiconEntry] = []
    changed: list[LexiconEntry] = []
    for entry in join_entries(pack.entries):
        name = (entry.category, entry.canonical, entry.language)
        row, digest = rows.pop(name, None), digest_entry(entry)
        if row is None:
            added.append(_make_entry_row(entry, pack=pack.name, digest=digest))
            difference.added.append("/".join(name))
            continue
        is_own = is_entry_edited(row)
        if is_own and not is_forced:
            difference.kept.append("/".join(name))
        elif row.pack_digest == digest and row.is_active and not is_own:
            difference.unchanged += 1
        else:
            row.aliases, row.forms, row.pack_digest = list(entry.aliases), list(entry.forms), digest
            row.is_active, row.state, row.version = True, "published", get_next_version(row)
            changed.append(row)
            difference.changed.append("/".join(name))
    gone = [r for r in rows.values() if r.pack == pack.name and r.is_active and not is_entry_edited(r)]
    for row in gone:
        row.is_active = False
        difference.switched_off.append(f"{row.category}/{row.canonical}/{row.language}")
    LexiconEntry.objects.bulk_create(added, batch_size=500)
    columns = ["aliases", "forms", "pack_digest", "is_active", "state", "version"]
    LexiconEntry.objects.bulk_update([*changed, *gone], columns, batch_size=500)


def join_entries(entries: tuple[Entry, ...]) -> list[Entry]:
    """One entry a (category, canonical, language), since a pack may spread a value over several files."""
    joined: dict[tuple[str, str, str], Entry] = {}
    for entry in entries:
        name = (entry.category, entry.canonical, entry.language)
        before = joined.get(name)
        if before is not None:
            aliases = tuple(dict.fromkeys((*before.aliases, *entry.aliases)))
            joined[name] = replace(entry, aliases=aliases, forms=tuple(dict.fromkeys((*before.forms, *entry.forms))))
        else:
            joined[name] = entry
    return list(joined.values())


def _make_entry_row(entry: Entry, *, pack: str, digest: str) -> LexiconEntry:
    return LexiconEntry(
        category=entry.category,
        canonical=entry.canonical,
        language=entry.language,
        aliases=list(entry.aliases),
        forms=list(entry.forms),
        pack=pack,
        pack_digest=digest,
    )


def is_entry_edited(row: LexiconEntry) -> bool:
    """Whether staff have changed or made the words of an entry, or switched them off."""
    return row.state != "published" or digest_entry(read_entry_row(row)) != row.pack_digest


def export_pack(*, folder: Path, tenant_id: UUID | None = None) -> list[Path]:
    """Write the shared rows, or a tenant's own, as a pack directory that can be brought back; answers the files.

    Only what is in force: no drafts, nothing that is switched off, no list of grammar that nothing asks for any more
    (a pack that has one is refused). Writes no rows.
    """
    (folder / PHRASES_FOLDER).mkdir(parents=True, exist_ok=True)
    words: dict[str, dict[str, dict[str, str]]] = {}
    phrases: dict[str, dict[str, dict[str, str]]] = {}
    in_force = {"tenant_id": tenant_id, "is_active": True, "state": "published"}
    for row in LexiconEntry.objects.filter(**in_force).order_by("category", "canonical", "language"):
        if list_grammar_problems(row):
            continue
        target = phrases if is_phrases(row.category) else words
        category = target.setdefault(row.category.removeprefix(PHRASES), {})
        category.setdefault(row.canonical, {})[row.language] = ", ".join(_export_aliases(row))
    rules = [_export_rule(row) for row in Rule.objects.filter(**in_force).order_by("slug")]
    files: dict[str, Any] = {"lexicon.yaml": words, "rules.yaml": rules, "forms_ru.yaml": {}}
    files |= {f"{PHRASES_FOLDER}/phrases.yaml": phrases} if phrases else {}
    for file, content in files.items():
        (folder / file).write_text(yaml.safe_dump(content, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return [folder / file for file in files]


def _export_aliases(row: LexiconEntry) -> list[str]:
    if row.language != "ru" or is_phrases(row.category):
        return list(row.aliases)
    return [AS_IT_STANDS + word for word in (*row.aliases, *row.forms)]


def _export_rule(row: Rule) -> dict[str, Any]:
    content = {
        "slug": row.slug,
        "type": row.knowledge_type,
        "language": row.language,
        "purpose": row.purpose,
        "kind": row.kind,
        "object": row.object_side,
        "version": row.version,
        "positive": list(row.positive_examples),
        "negative": list(row.negative_examples),
    }
    return content | ({"category": row.category} if row.category else {"pattern": row.pattern})
