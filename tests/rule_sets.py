"""The shipped rules: compiled once for all tests that read by them, and in force when a test starts."""

from collections import deque
from collections.abc import Iterator

import pytest

import patterns.matching.lexicon
import patterns.registry
from patterns.matching.lexicon import Derived
from patterns.registry import RuleSetRegistry
from patterns.rules.pack import SHIPPED, Pack, compile_packs, load_pack
from patterns.rules.ruleset import RuleSet

# A service keeps the words that it last compiled for; tests go back and forth between a few vocabularies.
KEPT_VOCABULARIES = 4
patterns.matching.lexicon._latest = deque(maxlen=KEPT_VOCABULARIES)

_pristine: list[object] = []
_derived: deque[Derived] = deque(maxlen=KEPT_VOCABULARIES)


def keep_derived(registry: RuleSetRegistry) -> None:
    """What was worked out of the words and phrases of a test's rules is there for the next test that has the same."""
    for found in registry._snapshot.sets.values() if registry._snapshot else ():
        if not any(found.derived is known for known in _derived):
            _derived.append(found.derived)


@pytest.fixture(scope="session")
def pack() -> Pack:
    """The shipped pack."""
    return load_pack(SHIPPED)


@pytest.fixture(scope="session")
def rule_set(pack: Pack) -> RuleSet:
    """The shipped pack, compiled. It takes seconds, so the whole run shares one: no test changes it."""
    return compile_packs([pack], version=7)


@pytest.fixture(autouse=True)
def shipped_rules_stay_in_force() -> Iterator[None]:
    """After a test that loaded rows, the process reads by the shipped pack again; a build under way is waited for."""
    yield
    registry = patterns.registry._registry
    if registry._builder is not None:
        registry._builder.join(timeout=120)
        assert not registry._builder.is_alive()
    _set_back(registry)


def _set_back(registry: RuleSetRegistry) -> None:
    snapshot = registry._snapshot
    if snapshot is None:
        return
    if snapshot.version == 0 and snapshot.source == "files" and registry._refused_version is None:
        # Kept once: compiling it anew after every test that loads rows would take a second each time.
        _pristine[:] = _pristine or [snapshot]
        return
    registry._snapshot = _pristine[0] if _pristine else None  # type: ignore[assignment]
    registry._refused_version, registry._refused_rules = None, ()
