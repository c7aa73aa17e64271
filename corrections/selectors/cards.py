"""Corrections with what stands behind them: both messages and the facts that they touched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from corrections.models import CorrectionLog
from corrections.selectors.log import list_user_corrections
from memory.facts.reading import list_facts_by_id
from memory.selectors.messages import list_messages_by_id
from memory.types import Fact, RecordedMessage, UserRef


@dataclass(frozen=True, slots=True)
class CorrectionCard:
    """One row of the correction log with both messages and the facts it touched; forgotten messages are None."""

    row: CorrectionLog
    answered: RecordedMessage | None
    said: RecordedMessage | None
    effects: tuple[tuple[str, Fact | None], ...]

    @property
    def title(self) -> str:
        """The type in words."""
        return self.row.correction_type.replace("_", " ").capitalize()


def list_correction_cards(*, user: UserRef, limit: int) -> list[CorrectionCard]:
    """What the user said was wrong, newest first. Three statements."""
    return make_correction_cards(user=user, rows=list_user_corrections(user=user, limit=limit))


def make_correction_cards(*, user: UserRef, rows: Sequence[CorrectionLog]) -> list[CorrectionCard]:
    """These rows of the user's log with their messages and facts. Two statements."""
    said_ids = {mid for row in rows for mid in (row.trigger_message_id, row.corrected_message_id) if mid}
    messages = list_messages_by_id(user=user, message_ids=said_ids)
    facts = list_facts_by_id(user=user, fact_ids={fid for row in rows for _, fid in list_effects(row)})
    return [
        CorrectionCard(
            row=row,
            answered=messages.get(row.corrected_message_id) if row.corrected_message_id else None,
            said=messages.get(row.trigger_message_id),
            effects=tuple((name, facts.get(fact_id)) for name, fact_id in list_effects(row)),
        )
        for row in rows
    ]


def list_effects(row: CorrectionLog) -> list[tuple[str, UUID]]:
    """What a correction did, as names with fact ids. Pure."""
    named = (
        ("closed", row.deactivated_knowledge_id),
        ("disputed", row.disputed_knowledge_id),
        ("set", row.set_knowledge_id),
    )
    return [(name, fact_id) for name, fact_id in named if fact_id is not None]
