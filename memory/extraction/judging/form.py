"""Checks of a proposal that facts and items share: subject, confidence, evidence, quarantine. Pure."""

from __future__ import annotations

from memory.extraction.judging.context import GateContext, list_evidence
from memory.extraction.types import Operation


def check_subject(operation: Operation, context: GateContext) -> str | None:
    """A proposal is about the user."""
    return None if operation.subject == "user" else "subject_not_user"


def check_evidence(operation: Operation, context: GateContext) -> str | None:
    """Evidence is named, exists among what was shown, and is the user's own."""
    if not operation.evidence_message_ids:
        return "no_evidence"
    if any(ref not in context.material.messages for ref in operation.evidence_message_ids):
        return "unknown_evidence"
    return None if list_evidence(operation, context) else "not_user_message"


def check_quarantine(operation: Operation, context: GateContext) -> str | None:
    """Neither its type, nor the version that made it, nor the language of its evidence is held back (SPEC X-4)."""
    languages = {("language", context.read(message).language) for message in list_evidence(operation, context)}
    slices = {("type", operation.knowledge_type), ("version", context.rule_name), *languages}
    return "quarantined" if slices & context.quarantined else None
