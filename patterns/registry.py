"""The rule sets in force in this process: loaded from rows, swapped whole when the version rises (SPEC I-2).

Reading never waits for a rebuild: the new set is built beside the old one in a thread of its own, must pass its
self-test, and takes its place by one assignment.
"""

from __future__ import annotations

import gc
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from patterns.pack import Pack, PackError, compile_packs, load_pack
from patterns.ruleset import RuleSet
from patterns.selftest import list_failed_examples

logger = logging.getLogger(__name__)

POLL_SECONDS = 2.0
SHIPPED = Path(__file__).parent / "packs" / "fashion"


class RuleSetRefused(Exception):
    """A set that failed its self-test; `rules` are the slugs whose examples fail."""

    def __init__(self, rules: tuple[str, ...]) -> None:
        self.rules = rules
        super().__init__(f"{len(rules)} rules fail their own examples: {', '.join(rules)}")


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """All sets of one version. `own`: tenants with rows of their own; their sets are built when first asked for."""

    version: int
    own: frozenset[UUID]
    sets: dict[UUID | None, RuleSet] = field(default_factory=dict)


class RuleSetRegistry:
    """Holds the snapshot in force and replaces it when the version row moves on."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._snapshot: _Snapshot | None = None
        self._lock = threading.Lock()
        self._next_poll_at = 0.0
        self._refused_version: int | None = None
        self._builder: threading.Thread | None = None

    def get(self, tenant_id: UUID | None) -> RuleSet:
        """The set for a tenant, never older than the last poll found plus the time of one build."""
        snapshot = self._snapshot or self._build_first()
        if self._clock() >= self._next_poll_at:
            self._poll(snapshot)
            snapshot = self._snapshot or snapshot
        key = tenant_id if tenant_id in snapshot.own else None
        found = snapshot.sets.get(key)
        return found if found is not None else self._build_own(snapshot, key)

    def refresh(self) -> RuleSet:
        """Load the version in force now and wait for it. Raises RuleSetRefused or PackError; then the old set stays."""
        version, own, pack = _load_shared()
        self._snapshot = _Snapshot(version, own, {None: build_rule_set(pack, version=version)})
        self._next_poll_at = self._clock() + POLL_SECONDS
        return self._snapshot.sets[None]

    def _build_first(self) -> _Snapshot:
        with self._lock:
            if self._snapshot is None:
                try:
                    self.refresh()
                except (PackError, RuleSetRefused) as error:
                    _log_refusal(error, version=0)
                    shipped = build_rule_set(load_pack(SHIPPED), version=0)
                    self._snapshot = _Snapshot(0, frozenset(), {None: shipped})
            assert self._snapshot is not None
            return self._snapshot

    def _poll(self, snapshot: _Snapshot) -> None:
        """Look at the version row, one caller at a time; a newer version starts a build, nobody waits."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            self._next_poll_at = self._clock() + POLL_SECONDS
            from patterns.selectors import find_version

            version = find_version()
            if version in (None, snapshot.version, self._refused_version):
                return
            if self._builder is not None and self._builder.is_alive():
                return
            loaded = _load_shared()
            self._builder = threading.Thread(target=self._swap, args=loaded, name="rule-set-build", daemon=True)
            self._builder.start()
        finally:
            self._lock.release()

    def _swap(self, version: int, own: frozenset[UUID], pack: Pack) -> None:
        try:
            built = build_rule_set(pack, version=version)
        except (PackError, RuleSetRefused) as error:
            self._refused_version = version
            _log_refusal(error, version=version)
            return
        self._snapshot = _Snapshot(version, own, {None: built})
        logger.info("rule set in force", extra={"rule_set_version": version, "rules": len(built.rules)})

    def _build_own(self, snapshot: _Snapshot, tenant_id: UUID | None) -> RuleSet:
        """A tenant's own set on its first use; for one that fails, the shared one serves until the next version."""
        from patterns.selectors import get_stored_pack

        with self._lock:
            if tenant_id not in snapshot.sets:
                try:
                    pack = get_stored_pack(tenant_id=tenant_id)
                    snapshot.sets[tenant_id] = build_rule_set(pack, version=snapshot.version)
                except (PackError, RuleSetRefused) as error:
                    _log_refusal(error, version=snapshot.version)
                    snapshot.sets[tenant_id] = snapshot.sets[None]
            return snapshot.sets[tenant_id]


def build_rule_set(pack: Pack, *, version: int) -> RuleSet:
    """Compile a pack and try it on its own examples. Raises PackError or RuleSetRefused; writes nothing."""
    rule_set = compile_packs([pack], version=version)
    failures = list_failed_examples(rule_set)
    if failures:
        raise RuleSetRefused(tuple(sorted({failure.rule for failure in failures})))
    gc.freeze()  # tens of thousands of long-lived objects, which the collector would walk in the middle of requests
    return rule_set


def _load_shared() -> tuple[int, frozenset[UUID], Pack]:
    """The rows in force; the shipped pack while no pack was loaded yet."""
    from patterns.selectors import find_version, get_stored_pack, list_tenants_with_rows

    version = find_version()
    if version is None:
        return 0, frozenset(), load_pack(SHIPPED)
    own = list_tenants_with_rows()
    pack = get_stored_pack(tenant_id=None)
    return (version, own, pack) if pack.rules else (version, own, load_pack(SHIPPED))


def _log_refusal(error: PackError | RuleSetRefused, *, version: int) -> None:
    rules = error.rules if isinstance(error, RuleSetRefused) else tuple(p.partition(":")[0] for p in error.problems)
    logger.error("rule set refused, the old one stays", extra={"rule_set_version": version, "rules": rules})


_registry = RuleSetRegistry()


def get_rule_set(*, tenant_id: UUID | None) -> RuleSet:
    """The rule set in force for a tenant; one without rows of its own shares the shared set. Thread-safe, no writes.

    Looks at the version row at most every two seconds.
    """
    return _registry.get(tenant_id)


def warm_rule_sets() -> None:
    """Build the shared set now, so that the first message of a process does not wait for it."""
    _registry.get(None)


def refresh_rule_sets() -> RuleSet:
    """Load the version in force and wait for it: for commands and tests. Raises RuleSetRefused."""
    return _registry.refresh()
