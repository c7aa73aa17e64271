"""System checks of the room: settings that cannot work fail at start (SPEC P-2)."""

from __future__ import annotations

from typing import Any

from django.core import checks

from retrieval.configuration import get_budget_policy, get_pipeline
from retrieval.embedding.providers import EmbeddingMisconfigured
from retrieval.embedding.types import EmbeddingFailed
from retrieval.pack.budget import ImpossibleBudget
from retrieval.pack.token_counters import TokenizerMisconfigured, check_tokenizers
from retrieval.search.recipes import UnknownRecipe


def check_pipeline(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Budget, recipe, tokenizers and embedder of the settings can be built."""
    try:
        get_budget_policy()
        check_tokenizers(get_pipeline().tokenizers)
    except ImpossibleBudget as error:
        return [checks.Error(f"The pack budget is impossible: {error}", id="retrieval.E001")]
    except UnknownRecipe as error:
        return [checks.Error(f"UNDE_RECIPE: {error}", id="retrieval.E002")]
    except TokenizerMisconfigured as error:
        return [checks.Error(f"UNDE_TOKENIZERS: {error}", id="retrieval.E004")]
    except (EmbeddingMisconfigured, EmbeddingFailed) as error:
        return [checks.Error(f"UNDE_EMBEDDING: {error}", id="retrieval.E003")]
    return []


def register_checks() -> None:
    """Called once, when the room is ready."""
    checks.register(check_pipeline)
