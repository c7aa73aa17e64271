"""Rules and words written straight into force, for commands and other rooms; staff go by drafts (`publishing`)."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from patterns.errors import RuleRefused
from patterns.matching.lexicon import Entry
from patterns.models import LexiconEntry, Rule
from patterns.rule import Rule as RuleText
from patterns.services.publishing import (
    publish_entry_version,
    publish_rule_version,
    save_entry_draft,
    save_rule_draft,
)

__all__ = ["RuleRefused", "save_entry", "save_rule"]


def save_rule(rule: RuleText, *, tenant_id: UUID | None, changed_by: str) -> Rule:
    """Write a rule as its next version and put it in force; a new slug makes a new rule. `tenant_id` None: for all.

    Raises RuleRefused. Writes the row, its history and the version that processes poll.
    """
    with transaction.atomic():
        return publish_rule_version(save_rule_draft(rule, tenant_id=tenant_id, changed_by=changed_by))


def save_entry(entry: Entry, *, is_active: bool, tenant_id: UUID | None, changed_by: str = "command") -> LexiconEntry:
    """Write an entry of the lexicon and put it in force. `tenant_id` None: for all. Raises RuleRefused. Writes."""
    with transaction.atomic():
        draft = save_entry_draft(entry, is_active=is_active, tenant_id=tenant_id, changed_by=changed_by)
        return publish_entry_version(draft)
