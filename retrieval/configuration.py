"""What an installation has chosen: embedder, recipe, budget. Read from settings once a process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from django.conf import settings

from patterns.text.tokens import TOKENISER_VERSION
from retrieval.cards.guard import Thresholds
from retrieval.cards.thresholds import get_recent_thresholds
from retrieval.embedding.types import EmbeddingProvider
from retrieval.index.embedding_models import get_configured_provider
from retrieval.pack.budget import DEFAULT_SLOTS, DEFAULT_TOTAL, BudgetPolicy, Slot
from retrieval.pack.directives import DIRECTIVES_VERSION
from retrieval.pack.policy import digest_policy
from retrieval.search.recipes import Recipe, get_recipe


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Everything search and the pack are configured by."""

    provider: EmbeddingProvider | None
    recipe: Recipe
    policy: BudgetPolicy
    deadline_ms: int = settings.UNDE_TUNING.SEARCH_DEADLINE_MS
    embed_deadline_ms: int = settings.UNDE_TUNING.EMBED_DEADLINE_MS
    rewrite_deadline_ms: int = settings.UNDE_TUNING.REWRITE_DEADLINE_MS
    tokenizers: Mapping[str, str] = field(default_factory=dict)
    """Patterns of model names and their `tokenizer.json`."""

    @property
    def policy_version(self) -> str:
        """Names every setting that changes an answer (SPEC P-4, D-22): the parts that a person knows by name, and a
        digest of all. In a tenant scope: thresholds are rows, read at most once a minute."""
        provider = self.provider
        thresholds = Thresholds("")
        if provider is not None:
            thresholds = get_recent_thresholds(model_name=provider.name, dimensions=provider.dimensions)
        model = f"{provider.name}:{provider.dimensions}" if provider else "no-vectors"
        deadlines = (self.deadline_ms, self.embed_deadline_ms, self.rewrite_deadline_ms)
        decides = (self.recipe, self.policy.total, sorted(self.policy.slots.items()), model, deadlines)
        digest = digest_policy(decides=decides, thresholds=thresholds, tokenizers=self.tokenizers)
        name = f"{self.recipe.name}/tok{TOKENISER_VERSION}/{DIRECTIVES_VERSION}/{provider.name if provider else model}"
        return f"{name[:69]}/{digest}"


@lru_cache(maxsize=8)
def _make_policy(total: int, slots: tuple[tuple[str, int, int], ...]) -> BudgetPolicy:
    policy = BudgetPolicy(total, {name: Slot(minimum, maximum) for name, minimum, maximum in slots})
    policy.check()
    return policy


def get_budget_policy() -> BudgetPolicy:
    """The budget in `settings.UNDE_PACK_BUDGET` (`{"total": n, "slots": {name: [min, max]}}`) over the defaults.

    Raises ImpossibleBudget; the system checks call it, so that impossible settings fail at start.
    """
    chosen = getattr(settings, "UNDE_PACK_BUDGET", None) or {}
    bounds: Mapping[str, tuple[int, int]] = chosen.get("slots", {})
    slots = {name: (slot.minimum, slot.maximum) for name, slot in DEFAULT_SLOTS.items()} | {
        name: (int(low), int(high)) for name, (low, high) in bounds.items()
    }
    return _make_policy(
        int(chosen.get("total", DEFAULT_TOTAL)), tuple((name, low, high) for name, (low, high) in sorted(slots.items()))
    )


def get_pipeline() -> Pipeline:
    """The pipeline that settings describe. Raises UnknownRecipe, ImpossibleBudget, EmbeddingMisconfigured."""
    return Pipeline(
        provider=get_configured_provider(),
        recipe=get_recipe(getattr(settings, "UNDE_RECIPE", "")),
        policy=get_budget_policy(),
        deadline_ms=int(getattr(settings, "UNDE_SEARCH_DEADLINE_MS", settings.UNDE_TUNING.SEARCH_DEADLINE_MS)),
        embed_deadline_ms=int(getattr(settings, "UNDE_EMBED_DEADLINE_MS", settings.UNDE_TUNING.EMBED_DEADLINE_MS)),
        rewrite_deadline_ms=int(
            getattr(settings, "UNDE_REWRITE_DEADLINE_MS", settings.UNDE_TUNING.REWRITE_DEADLINE_MS)
        ),
        tokenizers=getattr(settings, "UNDE_TOKENIZERS", None) or {},
    )
