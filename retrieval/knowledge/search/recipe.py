"""How chunks are ranked: every number of it, measured on the samples of bench/knowledge_search.py."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchRecipe:
    """Numbers of text search over a corpus. Seeds of entities decide; much weight on text seeds undoes them."""

    name: str = "entity_rank"
    k1: float = 1.0
    b: float = 0.75
    text_seeds: float = 0.02
    """Share of the seeds that goes to the best hits by words; the rest goes to entities of the question."""
    text_hits: int = 5
    damping: float = 0.7
    text_gain: float = 2.0
    """A rank is multiplied by 1 + this x the text score as a share of the best."""
    own_weight: float = 8.0
    """What links a chunk to the entity that its title or record is about; a mention weighs 1 + ln(times)."""
    unsure_weight: float = 0.1
    """What a mention weighs that is not strict."""
    far_seed: float = 0.3
    """What an entity weighs that a question may name in another script or as an abbreviation, where it names no other.
    Others weigh 1, of one name alike."""
    plain_seed: float = 0.1
    """What an entity weighs that a question writes without a capital beside one with: "the place of birth of" is hardly
    about the page of that name."""
    next_gain: float = 5.0
    """The rank of a text about something that the first text names is multiplied by 1 + this: who asks about the mother
    of a director names the film. From 3 to 20 it is much the same."""
    previous_turn: float = 0.3
    first_turn: float = 0.2
    """Shares of the text score that earlier questions of a conversation add."""
    history_of_named: float = 0.5
    """What is left of these shares where the question names an entity of its own: it hardly goes on with the last."""
    max_candidates: int = 5_000
    """Chunks that are looked at by words; beyond it the rarest words choose them."""


DEFAULT = SearchRecipe()
