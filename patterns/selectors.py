"""Reads of the rule rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db.models import F, Max, Q, Sum

from patterns.grammar.grammar import list_grammar
from patterns.grammar.kinds import GRAMMAR_ROWS
from patterns.matching.lexicon import Entry
from patterns.models import (
    OPEN_STATES,
    PLANNED_STATES,
    EntryVersion,
    LexiconEntry,
    Publication,
    RejectionCount,
    Rule,
    RuleSetVersion,
    RuleVersion,
)
from patterns.rule import Rule as RuleText
from patterns.rules.pack import SHIPPED, Pack, load_settings

SHARED = "shared"
LOAD_GAP = timedelta(minutes=1)
_Name = tuple[str, str, str]


def find_version() -> int | None:
    """The version in force; None before the first pack was loaded. Reads one row by its primary key."""
    return RuleSetVersion.objects.filter(id=1).values_list("version", flat=True).first()


def find_raised_at() -> datetime | None:
    """When the rules or words in force were last changed; None before the first pack is loaded."""
    return RuleSetVersion.objects.filter(id=1).values_list("raised_at", flat=True).first()


def list_tenants_with_rows() -> frozenset[UUID]:
    """Tenants that have rules or words of their own in force or on trial."""
    tried = Q(versions__state="canary") | ~Q(state="draft")
    own = Rule.objects.filter(tried, tenant_id__isnull=False).values_list("tenant_id", flat=True)
    words = LexiconEntry.objects.filter(tried, tenant_id__isnull=False)
    return frozenset(t for t in own.union(words.values_list("tenant_id", flat=True)) if t is not None)


def list_absent_lists() -> tuple[str, ...]:
    """Lists of grammar that the code asks for and that no shared row has words of, by name.

    A list that staff have switched off is not absent: somebody meant it.
    """
    rows = LexiconEntry.objects.filter(
        Q(is_active=True) | Q(state="quarantined"), tenant_id__isnull=True, category__in=GRAMMAR_ROWS
    )
    there = set(rows.values_list("category", "canonical"))
    return tuple(name for name, known in list_grammar().items() if (known.category, name) not in there)


def get_stored_pack(*, tenant_id: UUID | None) -> Pack:
    """What is in force for a tenant: the shared rows, and its own, which win over shared ones of the same name.

    A version of a rule or of phrases on trial stands beside what it may take the place of; which users it reads is
    said on both (SPEC I-2). Drafts are left out.
    """
    in_force: dict[str, RuleText] = {}
    for row in Rule.objects.filter(_scope(tenant_id)).exclude(state="draft").order_by("tenant_id", "slug"):
        if row.slug not in in_force or row.tenant_id is not None:
            in_force[row.slug] = read_rule_row(row)
    rules = [rule for rule in in_force.values() if rule.is_active and rule.rollout_percent > 0]
    return Pack(
        SHARED if tenant_id is None else str(tenant_id),
        tuple(add_canaries(rules, _list_canaries(tenant_id))),
        tuple(_list_entries(tenant_id)),
        get_shipped_settings(),
    )


@lru_cache(maxsize=1)
def get_shipped_settings() -> dict[str, Any]:
    """The settings of the shipped pack: they belong to the code that reads them, and have no rows."""
    return load_settings(SHIPPED)


def add_canaries(rules: Iterable[RuleText], canaries: Iterable[RuleText]) -> list[RuleText]:
    """Rules with versions on trial beside them; a rule is held back from the users that try its next version. Pure."""
    shares = {canary.slug: canary for canary in canaries}
    held = [
        replace(rule, held_back_percent=shares[rule.slug].rollout_percent) if rule.slug in shares else rule
        for rule in rules
    ]
    return [*held, *(canary for canary in shares.values() if canary.is_active)]


def _list_canaries(tenant_id: UUID | None) -> list[RuleText]:
    """Versions on trial. A shared one is passed over where the tenant has a rule of that name in force or on trial."""
    owned = Rule.objects.filter(tenant_id=tenant_id).exclude(state="draft") if tenant_id else Rule.objects.none()
    own_slugs = set(owned.values_list("slug", flat=True))
    scope = Q(rule__tenant_id__isnull=True) if tenant_id is None else (
        Q(rule__tenant_id__isnull=True) | Q(rule__tenant_id=tenant_id)
    )  # fmt: skip
    found: dict[str, RuleText] = {}
    rows = RuleVersion.objects.filter(scope, state="canary").select_related("rule").order_by("rule__tenant_id")
    for row in rows:
        is_own = row.rule.tenant_id is not None
        if is_own or (row.rule.slug not in own_slugs and row.rule.slug not in found):
            found[row.rule.slug] = replace(
                read_rule_content(row.rule.slug, row.content, version=row.version),
                rollout_percent=row.canary_percent,
                is_canary=True,
            )
    return list(found.values())


def _list_entries(tenant_id: UUID | None) -> list[Entry]:
    rows = LexiconEntry.objects.filter(_scope(tenant_id)).exclude(state="draft")
    columns = ("category", "canonical", "language", "aliases", "forms", "is_active", "tenant_id")
    chosen: dict[_Name, tuple[Any, ...]] = {}
    # A word that two languages share is told by the first that has it: "nickel" is English before it is Arabizi.
    for values in sorted(rows.values_list(*columns), key=lambda v: (v[0], v[1], v[2] == "arabizi", v[2])):
        if values[:3] not in chosen or values[-1] is not None:
            chosen[values[:3]] = values
    in_force = [Entry(v[0], v[1], v[2], tuple(v[3]), tuple(v[4])) for v in chosen.values() if v[5]]
    return add_phrases_on_trial(in_force, _list_phrases_on_trial(tenant_id, chosen))


def add_phrases_on_trial(entries: Iterable[Entry], tried: Mapping[_Name, tuple[Entry, bool]]) -> list[Entry]:
    """Entries with phrases on trial beside those in force, which are held back from the users that try them. Pure.

    `tried`: by category, canonical and language, and whether the version switches them on.
    """
    held = [
        replace(entry, held_back_percent=tried[name][0].rollout_percent)
        if (name := get_name(entry)) in tried
        else entry
        for entry in entries
    ]
    return [*held, *(entry for entry, is_active in tried.values() if is_active)]


def get_name(entry: Entry | LexiconEntry) -> _Name:
    """What tells an entry from others of its scope."""
    return (entry.category, entry.canonical, entry.language)


def _list_phrases_on_trial(
    tenant_id: UUID | None, chosen: Mapping[_Name, tuple[Any, ...]]
) -> dict[_Name, tuple[Entry, bool]]:
    """Versions on trial. A shared one is passed over where the tenant has an entry of its name in force or on trial."""
    scope = Q(entry__tenant_id__isnull=True) | (Q(entry__tenant_id=tenant_id) if tenant_id else Q(pk__in=()))
    rows = EntryVersion.objects.filter(scope, state="canary").select_related("entry").order_by("entry__tenant_id")
    found: dict[_Name, tuple[Entry, bool]] = {}
    for row in rows:
        name = get_name(row.entry)
        is_own = row.entry.tenant_id is not None
        has_own = name in found or (name in chosen and chosen[name][-1] is not None)
        if is_own or not has_own:
            entry = replace(read_entry_content(row.entry, row.content), rollout_percent=row.canary_percent)
            found[name] = (entry, bool(row.content["is_active"]))
    return found


def _scope(tenant_id: UUID | None) -> Q:
    shared = Q(tenant_id__isnull=True)
    return shared if tenant_id is None else shared | Q(tenant_id=tenant_id)


def read_rule_row(row: Rule) -> RuleText:
    """The row as the value that the compiler takes."""
    return RuleText(
        slug=row.slug,
        knowledge_type=row.knowledge_type,
        language=row.language,
        purpose=row.purpose,
        kind=row.kind,
        pattern=row.pattern,
        positive=tuple(row.positive_examples),
        negative=tuple(row.negative_examples),
        category=row.category,
        object_side=row.object_side,
        version=row.version,
        rollout_percent=row.rollout_percent,
        is_active=row.is_active,
        literals=tuple(row.literals),
    )


def read_rule_content(slug: str, content: dict[str, Any], *, version: int = 1) -> RuleText:
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
        version=version,
        rollout_percent=content["rollout_percent"],
        is_active=content["is_active"],
        literals=tuple(content["literals"]),
    )


def read_entry_row(row: LexiconEntry) -> Entry:
    """An entry's row as the value that the compiler takes."""
    return Entry(row.category, row.canonical, row.language, tuple(row.aliases), tuple(row.forms))


def read_entry_content(row: LexiconEntry, content: dict[str, Any]) -> Entry:
    """The words that a row of an entry's history keeps. Pure."""
    return Entry(row.category, row.canonical, row.language, tuple(content["aliases"]), tuple(content["forms"]))


def find_open_version(row: Rule | LexiconEntry) -> Any:
    """The draft or the version on trial of a rule, the draft of an entry; None when there is none."""
    return row.versions.filter(state__in=OPEN_STATES).first()


def get_next_version(row: Rule | LexiconEntry) -> int:
    """The number for the next version: above every draft, kept or not, and above what it takes the place of."""
    last: int | None = row.versions.aggregate(last=Max("version"))["last"]
    return max(last or 0, find_used_version(row)) + 1


def find_used_version(row: Rule | LexiconEntry) -> int:
    """The highest number by which facts of this name may have been read; 0 for a draft.

    A tenant's own rule goes on from the shared one that it takes the place of: a fact names rule and number alone.
    """
    own = 0 if row.state == "draft" else row.version
    if own or isinstance(row, LexiconEntry) or row.tenant_id is None:
        return own
    shared = Rule.objects.filter(slug=row.slug, tenant_id=None).exclude(state="draft").first()
    if shared is None:
        return own
    tried = shared.versions.filter(state__in=("canary", "published")).aggregate(last=Max("version"))["last"]
    return max(shared.version, tried or 0)


def list_open_versions(*, tenant_id: UUID) -> list[RuleVersion | EntryVersion]:
    """Drafts and trials that a tenant's editors see, newest first."""
    rules = RuleVersion.objects.filter(
        Q(rule__tenant_id=None) | Q(rule__tenant_id=tenant_id), state__in=OPEN_STATES
    ).select_related("rule")
    entries = EntryVersion.objects.filter(
        Q(entry__tenant_id=None) | Q(entry__tenant_id=tenant_id), state__in=OPEN_STATES
    ).select_related("entry")
    return sorted([*rules, *entries], key=lambda version: version.changed_at, reverse=True)


def list_changes(
    *, tenant_id: UUID, before: tuple[datetime, UUID] | None, limit: int
) -> list[RuleVersion | EntryVersion]:
    """Versions that people made of the rules and entries that a tenant's editors see, newest first.

    `before`: the time and id of the version after which the list goes on: many may be of one moment.
    """
    found: list[RuleVersion | EntryVersion] = []
    for model, owner in ((RuleVersion, "rule"), (EntryVersion, "entry")):
        visible = Q(**{f"{owner}__tenant_id": None}) | Q(**{f"{owner}__tenant_id": tenant_id})
        rows = model.objects.filter(visible).exclude(_is_of_a_pack(owner)).select_related(owner)
        if before is not None:
            rows = rows.filter(Q(changed_at__lt=before[0]) | Q(changed_at=before[0], id__lt=before[1]))
        found += rows.order_by("-changed_at", "-id")[:limit]
    return sorted(found, key=lambda version: (version.changed_at, version.id), reverse=True)[:limit]


def list_pack_loads(*, limit: int) -> list[dict[str, Any]]:
    """Which packs were loaded when, and how many rules each changed, newest first: `pack`, `at`, `rules`.

    A load writes one row after the other, each with a time of its own: what follows within a minute is of one load.
    """
    rows = RuleVersion.objects.filter(_is_of_a_pack("rule"), rule__tenant_id=None).exclude(changed_by="unknown")
    loads: list[dict[str, Any]] = []
    for pack, at in rows.order_by("-changed_at").values_list("changed_by", "changed_at").iterator():
        last = loads[-1] if loads else None
        if last is not None and last["pack"] == pack and last["began"] - at <= LOAD_GAP:
            last["rules"] += 1
            last["began"] = at
        elif len(loads) < limit:
            loads.append({"pack": pack, "at": at, "began": at, "rules": 1})
        else:
            break
    return loads


def _is_of_a_pack(owner: str) -> Q:
    return Q(changed_by=F(f"{owner}__pack")) | Q(changed_by="unknown")


def list_refusal_counts(*, tenant_id: UUID, since: date, rule: str = "", reason: str = "") -> list[dict[str, Any]]:
    """Refusals of a tenant from a day on, summed by day, rule and reason."""
    rows = RejectionCount.objects.filter(tenant_id=tenant_id, day__gte=since)
    if rule:
        rows = rows.filter(rule=rule)
    if reason:
        rows = rows.filter(reason=reason)
    return list(rows.values("day", "rule", "reason").annotate(total=Sum("count")).order_by("day"))


def list_withdrawn_versions(*, slug: str, tenant_id: UUID) -> list[int]:
    """Versions of a rule that were taken back in a tenant: by putting an earlier one back, a quarantine, a trial ended.

    A version that says what is in force again is not among them.
    """
    versions = _list_numbered(slug, tenant_id)
    taken = {number for version in versions.values() for number in version.withdraws}
    row = find_rule_in_force(slug=slug, tenant_id=tenant_id)
    now = versions.get(row.version) if row is not None and row.is_active and row.state == "published" else None
    again = {number for number, version in versions.items() if now is not None and says_the_same(version, now)}
    return sorted(taken - again)


def find_rule_in_force(*, slug: str, tenant_id: UUID) -> Rule | None:
    """The row of a name that counts in a tenant: its own where that was ever in force, else the shared one."""
    rows = Rule.objects.filter(_scope(tenant_id), slug=slug).exclude(state="draft")
    return rows.order_by(F("tenant_id").asc(nulls_last=True)).first()


def says_the_same(one: RuleVersion, other: RuleVersion) -> bool:
    """Whether two versions read messages alike. Examples and notes do not count. Pure."""
    return all(one.content[name] == other.content[name] for name in _READING)


_READING = ("knowledge_type", "language", "purpose", "kind", "pattern", "category", "object_side", "is_active")


def _list_numbered(slug: str, tenant_id: UUID) -> dict[int, RuleVersion]:
    """By number the versions that users of a tenant may have been read by; the tenant's own after the shared ones."""
    rows = RuleVersion.objects.filter(Q(rule__tenant_id=None) | Q(rule__tenant_id=tenant_id), rule__slug=slug).order_by(
        F("rule__tenant_id").asc(nulls_first=True), "version"
    )
    return {row.version: row for row in rows}


def find_plan(version: RuleVersion | EntryVersion) -> Publication | None:
    """What is planned for a version: it waits for a second person or for its time. None where nothing is."""
    plan: Publication | None = version.publications.filter(state__in=PLANNED_STATES).first()
    return plan


def list_last_plans(versions: Iterable[RuleVersion | EntryVersion]) -> dict[UUID, Publication]:
    """The newest plan of each version that has one, over or not, by the version's id. One statement."""
    ids = [version.id for version in versions]
    found = Publication.objects.filter(Q(rule_version_id__in=ids) | Q(entry_version_id__in=ids)).order_by("asked_at")
    return {version_id: plan for plan in found if (version_id := plan.rule_version_id or plan.entry_version_id)}


def list_published_before(versions: Iterable[RuleVersion | EntryVersion]) -> dict[UUID, RuleVersion | EntryVersion]:
    """What was in force when each version was made, by the version's id: the newest earlier one of its row that was
    ever published. Two statements.
    """
    given = list(versions)
    rules = [one for one in given if isinstance(one, RuleVersion)]
    entries = [one for one in given if isinstance(one, EntryVersion)]
    published: list[RuleVersion | EntryVersion] = [
        *RuleVersion.objects.filter(rule_id__in={one.rule_id for one in rules}, state="published"),
        *EntryVersion.objects.filter(entry_id__in={one.entry_id for one in entries}, state="published"),
    ]
    before: dict[UUID, RuleVersion | EntryVersion] = {}
    for one in given:
        rows = [other for other in published if _get_row_id(other) == _get_row_id(one) and other.version < one.version]
        if rows:
            before[one.id] = max(rows, key=lambda other: other.version)
    return before


def list_shared_rows(rows: Iterable[Rule | LexiconEntry]) -> dict[UUID, Rule | LexiconEntry]:
    """The rows for all tenants whose place tenants' own rows take, by the own row's id, without drafts."""
    own = [row for row in rows if row.tenant_id is not None]
    slugs = {row.slug for row in own if isinstance(row, Rule)}
    words = [row for row in own if isinstance(row, LexiconEntry)]
    rules = Rule.objects.filter(tenant_id=None, slug__in=slugs).exclude(state="draft")
    entries = LexiconEntry.objects.filter(
        tenant_id=None, category__in={row.category for row in words}, canonical__in={row.canonical for row in words}
    ).exclude(state="draft")
    shared: dict[Any, Rule | LexiconEntry] = {row.slug: row for row in rules} | {get_name(row): row for row in entries}
    names = {row.id: row.slug if isinstance(row, Rule) else get_name(row) for row in own}
    return {row_id: shared[name] for row_id, name in names.items() if name in shared}


def _get_row_id(version: RuleVersion | EntryVersion) -> UUID:
    return version.rule_id if isinstance(version, RuleVersion) else version.entry_id


def find_last_plan(version: RuleVersion | EntryVersion) -> Publication | None:
    """The newest plan of a version, over or not."""
    plan: Publication | None = version.publications.order_by("-asked_at").first()
    return plan
