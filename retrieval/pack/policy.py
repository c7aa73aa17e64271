"""One short name for every setting that decides what a pack holds (SPEC P-4, D-22)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from django.conf import settings

from memory.registries import Registry
from patterns.text.data_files import read_lines
from retrieval.cards.guard import OTHER_SENTENCE_THRESHOLD, SENTENCE_THRESHOLDS, WORD_THRESHOLDS, Thresholds
from retrieval.pack import budget, layers
from retrieval.pack.assembly import WORDS_SHARE
from retrieval.pack.directives import list_every_text
from retrieval.pack.sanitiser import list_patterns
from retrieval.pack.token_counters import TokenizerMisconfigured, choose_counter
from retrieval.pack.token_estimate import TOKENIZER

DIGEST_CHARACTERS = 10
policy_parts: Registry[Callable[[], Any]] = Registry("policy parts")
"""What wings above this one add to a pack by (D-31): each gives values whose `repr` shows every number that decides."""


def digest_policy(*, decides: tuple[Any, ...], thresholds: Thresholds, tokenizers: Mapping[str, str]) -> str:
    """A digest that changes with any setting that decides.

    `decides` is what the installation has chosen, as values whose `repr` shows all of them. Thresholds, tokenizers and
    what ships with the program are added.
    """
    calibrated = sorted(thresholds.calibrated.items())
    parts = (decides, calibrated, _name_counters(tuple(tokenizers.items())), digest_shipped())
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:DIGEST_CHARACTERS]


def digest_shipped() -> str:
    """The same of what ships: tables of the budget, starting thresholds, rules, patterns of the sanitiser, and what
    other wings add."""
    tuning = settings.UNDE_TUNING
    tuned = (
        tuning.MODEL_WINDOWS,
        tuning.REPLY_SHARE,
        tuning.BRIEF_RULES_UNDER,
        tuning.BRIEF_RULES_UNDER_BROAD,
        tuning.LAYERS_FROM,
        sorted(tuning.OUTDATED_AFTER.items()),
        WORDS_SHARE,
    )
    return _digest_shipped(repr(tuned) + digest_parts())


def digest_parts() -> str:
    """The same of what other wings add alone."""
    parts = repr([(name, list_part()) for name, list_part in policy_parts.items()])
    return hashlib.sha256(parts.encode()).hexdigest()[:DIGEST_CHARACTERS]


@lru_cache(maxsize=8)
def _digest_shipped(tuned: str) -> str:
    caps = [budget.find_density_cap(count) for count in (0, 50, 300)]
    layered = (
        budget.LAYER_SHARES,
        budget.BROAD_SHARES,
        read_lines("asks_broad.txt"),
        read_lines("asks_order.txt"),
        *layers.list_bounds(),
    )
    margins = (budget.MARGIN_SHARE, budget.MARGIN_TOKENS, budget.DEFAULT_DEPTH, budget.CUT_ORDER)
    starting = (SENTENCE_THRESHOLDS, OTHER_SENTENCE_THRESHOLD, sorted(WORD_THRESHOLDS.items()))
    texts = (list_every_text(), list_patterns())
    parts = (tuned, caps, margins, layered, budget.INTENT_DEPTHS, starting, TOKENIZER, texts)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@lru_cache(maxsize=8)
def _name_counters(tokenizers: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Each tokenizer with the digest of its file; one that cannot be loaded by its pattern alone."""
    names = []
    for pattern, path in tokenizers:
        try:
            names.append(choose_counter(pattern, {pattern: path}).name)
        except TokenizerMisconfigured:
            names.append(f"unavailable:{pattern}")
    return tuple(names)
