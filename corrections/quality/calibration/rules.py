"""The table by which feedback moves a fact's confidence (SPEC P-9, BRAIN 2.3.2.5). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

RAISED, CORRECTED, UNUSED = RULES = ("positive_uses", "corrected_uses", "few_positive_uses")


@dataclass(frozen=True, slots=True)
class Uses:
    """How packs with a fact were judged since its last adjustment: each pack counts once."""

    total: int
    positive: int
    corrected: int

    @property
    def positive_share(self) -> float:
        """Of all uses; 0 where there are none."""
        return self.positive / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What a night does to one fact, and by which rule."""

    rule: str
    before: float
    after: float

    @property
    def is_to_remove(self) -> bool:
        """Whether a person is asked now that was not before."""
        limit: float = settings.UNDE_TUNING.REMOVAL_CONFIDENCE
        return self.after < limit <= self.before


def adjust_confidence(confidence: float, *, provenance: str, uses: Uses) -> Adjustment | None:
    """The one adjustment of a night; None where no rule speaks or nothing would move.

    A rule that lowers goes before the one that raises, and the one that lowers more before the other: a wrong memory
    is worse than a missing one.
    """
    rule = find_rule(uses)
    if rule is None:
        return None
    after = _move(confidence, rule, cap=settings.UNDE_TUNING.CONFIDENCE_CAPS[provenance])
    return None if after == confidence else Adjustment(rule, confidence, round(after, 4))


def find_rule(uses: Uses) -> str | None:
    """Which row of the table these uses fall under."""
    tuning = settings.UNDE_TUNING
    if uses.total >= tuning.CALIBRATION_UNUSED[0] and uses.positive_share < tuning.CALIBRATION_UNUSED[1]:
        return UNUSED
    if uses.total >= tuning.CALIBRATION_CORRECTED[0] and uses.corrected >= tuning.CALIBRATION_CORRECTED[1]:
        return CORRECTED
    if uses.total >= tuning.CALIBRATION_RAISE[0] and uses.positive_share > tuning.CALIBRATION_RAISE[1]:
        return RAISED
    return None


def _move(confidence: float, rule: str, *, cap: float) -> float:
    """Never above the cap by raising, never under the floor by lowering; what lies beyond already stays there."""
    tuning = settings.UNDE_TUNING
    if rule == RAISED:
        raised: float = confidence + tuning.CALIBRATION_RAISE[2]
        return max(confidence, min(raised, cap))
    step: float = tuning.CALIBRATION_UNUSED[2] if rule == UNUSED else tuning.CALIBRATION_CORRECTED[2]
    floor: float = tuning.CALIBRATION_FLOOR
    return min(confidence, max(confidence - step, floor))
