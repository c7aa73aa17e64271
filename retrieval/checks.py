"""System checks of the room: settings that cannot work fail at start (SPEC P-2)."""

from __future__ import annotations

from typing import Any

from django.core import checks

from retrieval.configuration import get_budget_policy, get_pipeline
from retrieval.embedding.providers import EmbeddingMisconfigured
from retrieval.embedding.types import EmbeddingFailed
from retrieval.pack.budget import ImpossibleBudget
from retrieval.pack.token_counters import TokenizerMisconfigured, check_tokenizers
from retrieval.search.accepted import Unreadable, is_accepted
from retrieval.search.recipes import UnknownRecipe


def check_pipeline(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Budget, recipe, tokenizers and embedder of the settings can be built."""
    try:
        get_budget_policy()
        pipeline = get_pipeline()
        check_tokenizers(pipeline.tokenizers)
        if not is_accepted(pipeline.recipe):
            return [_refuse_recipe(pipeline.recipe.name)]
    except ImpossibleBudget as error:
        return [checks.Error(f"The pack budget is impossible: {error}", id="retrieval.E001")]
    except UnknownRecipe as error:
        return [checks.Error(f"UNDE_RECIPE: {error}", id="retrieval.E002")]
    except Unreadable as error:
        return [checks.Error(f"UNDE_ACCEPTED_RECIPES: {error}", id="retrieval.E006")]
    except TokenizerMisconfigured as error:
        return [checks.Error(f"UNDE_TOKENIZERS: {error}", id="retrieval.E004")]
    except (EmbeddingMisconfigured, EmbeddingFailed) as error:
        return [checks.Error(f"UNDE_EMBEDDING: {error}", id="retrieval.E003")]
    return []


def _refuse_recipe(name: str) -> checks.CheckMessage:
    """A recipe that was not held against the active one may make memory worse without anybody seeing it (SPEC Q-3)."""
    return checks.Error(
        f"UNDE_RECIPE: {name} has not passed the gate with these numbers.",
        hint=f"script/manage evaluate --recipe {name} --gate --accept on a labelled set (docs/retrieval.md).",
        id="retrieval.E005",
    )


def register_checks() -> None:
    """Called once, when the room is ready."""
    checks.register(check_pipeline)
