"""Stores that may hold words of users are emptied together, and there is none that is not."""

import gc
import importlib
import pkgutil
from functools import _lru_cache_wrapper
from types import ModuleType
from typing import Any, Final

import patterns
import retrieval
from patterns.text import caches as stores
from patterns.text.caches import WordCache, empty_stores
from patterns.text.recurring import Recurring

NO_WORDS_OF_USERS: Final = {
    "patterns.matching.literals": "patterns of rules",
    "patterns.matching.phrases": "phrases of packs and drafts",
    "patterns.matching.pattern_tree": "patterns of rules",
    "patterns.rules.lint": "patterns of rules",
    "patterns.matching.triggers": "patterns of rules",
    "patterns.text.normaliser:split_words": "words of the vocabulary",
    "patterns.matching.expansion": "the analyser itself",
    "patterns.selectors": "the shipped settings",
    "patterns.services.trials": "the shipped pack, fingerprints",
    "patterns.text.lexemes:_find_hashes": "counts",
    "patterns.text.token_pieces:_pack_date": "dates",
    "patterns.text.tokens:_write_date": "dates",
    "retrieval.configuration": "settings",
    "retrieval.embedding.hashed:_list_weights": "weights",
    "retrieval.embedding.hashed:_slice_even": "lengths",
    "retrieval.embedding.providers": "settings",
    "retrieval.index.entries:_cut_date": "dates",
    "retrieval.knowledge.planning.plans": "plans of corpora",
    "retrieval.pack.assembly:count_once": "texts that are no user's",
    "retrieval.pack.policy": "settings",
    "retrieval.pack.token_counters": "files of vocabularies",
}
"""Caches that hold none, or modules of which none does, and what they hold in their place."""


def list_caches(package: ModuleType) -> dict[str, Any]:
    """Every `lru_cache` with a size at the top of a module, by module and name."""
    found = {}
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".migrations" in info.name or ".management" in info.name:
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if isinstance(value, _lru_cache_wrapper) and getattr(value, "__module__", "") == info.name:
                found[f"{info.name}:{name}"] = value
    return found


def test_a_text_that_came_twice_is_forgotten() -> None:
    kept: Recurring[int] = Recurring(size=2)
    for _ in range(2):
        kept.note("I am allergic to nickel", 1)
    assert kept.find("I am allergic to nickel") == 1
    empty_stores()
    assert kept.find("I am allergic to nickel") is None


def test_a_store_that_is_gone_is_no_burden() -> None:
    kept: WordCache[str, int] = WordCache()
    assert any(reference() is kept for reference in stores._kept)
    del kept
    gc.collect()
    WordCache()
    assert all(reference() is not None for reference in stores._kept[:-1])


def test_every_cache_of_a_module_is_emptied_or_said_to_hold_no_words() -> None:
    caches = {**list_caches(patterns), **list_caches(retrieval)}
    emptied = {id(empty.__self__) for empty in stores._emptied}  # type: ignore[attr-defined]
    left = {
        name
        for name, cache in caches.items()
        if id(cache) not in emptied
        and cache.cache_parameters()["maxsize"] is not None
        and not {name, name.partition(":")[0]} & NO_WORDS_OF_USERS.keys()
    }
    assert left == set()
    assert len(emptied) >= 8
