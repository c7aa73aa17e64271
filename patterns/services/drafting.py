"""A pack's files brought in as drafts: what differs, one draft a row, each to go its way by itself (SPEC I-2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from patterns.errors import RuleRefused
from patterns.rules.pack import Pack
from patterns.services.bundles import compare_pack
from patterns.services.packs import join_entries
from patterns.services.publishing import save_entry_draft, save_rule_draft


@dataclass(slots=True)
class DraftedPack:
    """Names of what became a draft, and what was refused with its reasons."""

    drafted: list[str] = field(default_factory=list)
    refused: dict[str, tuple[str, ...]] = field(default_factory=dict)


def draft_pack(pack: Pack, *, tenant_id: UUID | None, changed_by: str) -> DraftedPack:
    """Keep every rule and entry of a pack that differs from the rows as a draft. Words first.

    A rule whose examples need words that are drafts themselves is refused now: publish the words and bring the file
    again. Nothing comes into force. Writes.
    """
    wanted = {(row.kind, row.name) for row in compare_pack(pack, tenant_id=tenant_id) if row.where != "rows"}
    result = DraftedPack()
    note = f"from the file of {pack.name}"
    for entry in join_entries(pack.entries):
        name = f"{entry.category}/{entry.canonical}/{entry.language}"
        if ("words", name) in wanted:
            _note(result, name, lambda e=entry: save_entry_draft(
                e, is_active=True, tenant_id=tenant_id, changed_by=changed_by, note=note
            ))  # fmt: skip
    for rule in pack.rules:
        if ("rule", rule.slug) in wanted:
            _note(result, rule.slug, lambda r=rule: save_rule_draft(
                r, tenant_id=tenant_id, changed_by=changed_by, note=note
            ))  # fmt: skip
    return result


def _note(result: DraftedPack, name: str, save: object) -> None:
    try:
        save()  # type: ignore[operator]
    except RuleRefused as error:
        result.refused[name] = error.problems
    else:
        result.drafted.append(name)
