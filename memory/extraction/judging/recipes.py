"""The numbers of the gate: what a model must be sure of, and when two pieces of evidence are two. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final


@dataclass(frozen=True, slots=True)
class GateRecipe:
    """Thresholds for facts."""

    min_confidence: float = 0.8
    declared_cap: float = 0.9
    """D-5: a declaration read by a model is confirmed by the user at most so far; two evidences are analysis."""
    analysis_cap: float = 0.8
    echo_words: int = 4
    """From this many words on, a user's message that stands inside an assistant's is taken for a copy of it (M-5)."""
    same_exchange: int = 2
    """Messages this near in their conversation are one exchange: two in a row, or with the reply between."""
    same_wording: float = 0.5
    """Share of common words (Jaccard) from which two wordings are one."""
    long_verb: int = 4
    """Letters from which an ending makes a word a verb: shorter words end so by chance."""
    first_year: int = 1950
    """From here on a number behind "in" is a year; budgets below it are more common than such years."""
    owner_reach: int = 3
    """Tokens behind an event in which whose it is stands: "a wedding for a client"."""
    cover_reach: int = 4
    """Tokens by which an expression may begin before a word that it covers."""
    added_sentences: int = 2
    """Sentences behind a statement that may still speak of it."""
    person_words: int = 2
    """Words by which a person is named behind a statement: "my mum"."""
    opening_parts: int = 2
    """Parts of the user's next message that may take back the one before it, however long the rest is."""
    person_reach: int = 6
    """Words behind a word that points back in which the person stands whom a statement is about."""
    lone_words: int = 2
    """Words of a sentence that is a cry or a question by itself: "Psych!", "Got you?"."""
    short_part: int = 5
    """Words of a part of a sentence that says nothing but how sure the one before it is."""
    odd_words: int = 4
    """Words behind an "and" that add a thing to a list and state nothing."""
    short_reply: int = 9
    """Words of a message that speaks of the one before it and says nothing else."""
    kept_reach: int = 2
    """Tokens between a "not" and the value that it keeps away from: "can't be near fur"."""
    shop_reach: int = 2
    """Tokens between "favourite" and "shop" in which the two are still one expression."""
    strange_words: int = 2
    """Words in the sentences behind a statement that nobody knows, from which on it is not understood."""
    measure_reach: int = 3
    """Tokens before a number in which the word for its measure stands."""


@dataclass(frozen=True, slots=True)
class AdaptiveRecipe:
    """Thresholds for preferences and habits (SPEC X-7)."""

    min_confidence: float = 0.6
    """What the model must be sure of; less is a guess about a guess."""
    caps: Mapping[str, float] = field(default_factory=lambda: {"preference": 0.5, "behaviour_pattern": 0.6})
    max_words: int = 8
    max_characters: int = 80
    like_prefix: int = 4
    """Letters that two forms of one word share: "принтом" and "принты", "print" and "prints"."""
    like_ending: int = 3
    short_denial: int = 5
    """Words and marks of a message that needs no "like" to deny a taste: "not minimalist cuts, please"."""
    content_characters: int = 3
    """Letters from which a word can say what a taste is about."""
    merged_weight: int = 2
    """Items that one counts for that is made of several already: one more that is like it is enough."""
    decay: tuple[tuple[timedelta, float], ...] = (
        (timedelta(days=30), 1.0),
        (timedelta(days=90), 0.85),
        (timedelta(days=180), 0.6),
    )
    """By age, what is left of the confidence."""
    oldest_decay: float = 0.3

    @property
    def lifetime(self) -> timedelta:
        """An item that nobody has said again for so long is outdated."""
        return self.decay[-1][0]


GATE: Final = GateRecipe()
ADAPTIVE: Final = AdaptiveRecipe()
