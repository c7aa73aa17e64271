"""One rule as the engine takes it, and the words that its fields may be. Knows nothing of packs, gates or sets."""

from __future__ import annotations

from dataclasses import dataclass

LANGUAGES = ("ru", "en", "ar", "arabizi", "mixed", "other")
PURPOSES = ("extract", "anchor", "anti_anchor", "guard", "correction")
CORRECTION = "correction"
KNOWLEDGE_TYPES = ("body_params", "allergy", "hard_ban", "budget", "life_event", CORRECTION)
"""The types of `patterns.kinds.table`, and replies that correct: the choices of a column."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One trigger: a pattern in RE2 syntax over normalised text, and what kind of statement it opens."""

    slug: str
    knowledge_type: str
    language: str
    purpose: str
    kind: str
    pattern: str
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    category: str = ""  # instead of a pattern: fires on every word of this vocabulary category
    object_side: str = "after"  # where its object stands: after | before | both | none
    version: int = 1
    rollout_percent: int = 100
    is_active: bool = True
    literals: tuple[str, ...] = ()
    is_canary: bool = False  # a version on trial: users under `rollout_percent` get it instead of the one in force
    held_back_percent: int = 0  # users under this bucket get the version on trial and not this one

    def is_for(self, bucket: int) -> bool:
        """Whether users of a bucket (0 to 99, see `patterns.rollout`) are read by this rule (SPEC I-2)."""
        return self.held_back_percent <= bucket < self.rollout_percent

    @property
    def is_for_all(self) -> bool:
        """Whether no user is left out."""
        return self.held_back_percent == 0 and self.rollout_percent >= 100
