"""Every test starts with the rules of the shipped pack in force: what one loads is not what the next is read by."""

from collections.abc import Iterator

import pytest

import patterns.registry
from patterns.registry import RuleSetRegistry

_pristine: list[object] = []


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
