"""When a model may end a fact: the user's own words deny it or say that it is over (SPEC X-2, X-3). Pure."""

from __future__ import annotations

from typing import Final

from memory.extraction.judging.context import GateContext, list_evidence, reject
from memory.extraction.judging.values import want_fact
from memory.extraction.types import Decision, Operation
from memory.types import Fact, RecordedMessage

ENDING_VETOES: Final = (None, "past", "negated", "cancelled", "denied", "read_otherwise")
"""What may be wrong with a statement as a fact and still ends one."""
PROTECTED_SOURCES: Final = ("onboarding", "explicit", "review")
PROTECTED_TYPES: Final = ("allergy", "hard_ban")
"""What a model may cast doubt on but not close: dropping an allergy by mistake does harm, asking once does not."""


def judge_removal(operation: Operation, context: GateContext) -> Decision:
    """The user's words end a fact: they say its value with a "not" or a "no longer", later than the fact."""
    fact = context.material.facts[operation.knowledge_id or ""]
    wanted = want_fact(fact.knowledge_type, fact.knowledge_key, fact.value)
    own = [m for m in list_evidence(operation, context) if not context.is_echo(m)]
    if not own:
        return reject(operation, "echo")
    mentions = [(m, mention) for m in own for mention in context.read(m).list_mentions(wanted)]
    if not mentions:
        return reject(operation, "value_not_in_evidence")
    ending = [(m, mention) for m, mention in mentions if mention.is_ended and not mention.is_of_other]
    if not ending:
        return reject(operation, "no_denial")
    message = ending[-1][0]
    clear = [mention for m, mention in ending if m is message and mention.veto in ENDING_VETOES]
    if not clear:
        return reject(operation, f"veto_{ending[-1][1].veto}")
    if not any(mention.is_alone for mention in clear):
        return reject(operation, "no_denial")
    if message.created_at <= fact.last_validated_at:
        return reject(operation, "older_than_fact")
    return _end(operation, fact, message, context)


def _end(operation: Operation, fact: Fact, message: RecordedMessage, context: GateContext) -> Decision:
    is_protected = fact.extracted_from in PROTECTED_SOURCES or fact.knowledge_type in PROTECTED_TYPES
    if is_protected and fact.is_disputed:
        return Decision(operation, "already_known", fact_id=fact.id)
    return Decision(
        operation,
        "accepted",
        effect="dispute" if is_protected else "deactivate",
        fact_id=fact.id,
        said_at=message.created_at,
        evidence_message_ids=(message.id,),
        language=context.read(message).language,
    )
