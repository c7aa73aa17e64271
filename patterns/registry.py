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
from uuid import UUID

from django.conf import settings

from patterns.metrics import FALLBACKS, RULE_SETS_REFUSED
from patterns.rules.pack import SHIPPED, Pack, PackError, compile_packs, load_pack
from patterns.rules.ruleset import RuleSet
from patterns.rules.selftest import list_failed_examples

logger = logging.getLogger(__name__)


class RuleSetRefused(Exception):
    """A set that failed its self-test; `rules` are the slugs whose examples fail."""

    def __init__(self, rules: tuple[str, ...]) -> None:
        self.rules = rules
        super().__init__(f"{len(rules)} rules fail their own examples: {', '.join(rules)}")


@dataclass(frozen=True, slots=True)
class RuleSetStatus:
    """What this process reads by, and what it refused. `source`: rows, files (the shipped pack) or nothing."""

    version: int
    source: str
    refused_version: int | None = None
    refused_rules: tuple[str, ...] = ()
    absent_lists: tuple[str, ...] = ()
    """Lists of grammar without a row: those of a pack that was not loaded since the code asks for them."""

    @property
    def problem(self) -> str | None:
        """One sentence for an operator; None when the stored rules are in force."""
        rules = f" ({', '.join(self.refused_rules[:5])})" if self.refused_rules else ""
        if self.source == "nothing":
            return f"no facts are read from messages: stored rules and shipped pack both fail their examples{rules}"
        if self.source == "files" and self.refused_version is not None:
            return f"the shipped pack is active: version {self.refused_version} fails its examples{rules}"
        if self.refused_version is not None:
            return f"version {self.version} stays active: version {self.refused_version} fails its examples{rules}"
        return describe_absent_lists(self.absent_lists) if self.absent_lists else None


def describe_absent_lists(names: tuple[str, ...]) -> str:
    """What it means that lists of grammar have no rows, in one sentence for an operator."""
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"these grammar lists have no rows ({shown}), so messages are read without their words: run load_packs"


@dataclass(frozen=True, slots=True)
class _Loaded:
    """Rows as read: the shared pack and those of the tenants whose sets are built ahead."""

    version: int
    own: frozenset[UUID]
    pack: Pack
    source: str
    own_packs: dict[UUID, Pack] = field(default_factory=dict)
    absent_lists: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """All sets of one version. `own`: tenants with rows of their own; sets not built ahead are built when asked for."""

    version: int
    own: frozenset[UUID]
    sets: dict[UUID | None, RuleSet] = field(default_factory=dict)
    source: str = "rows"
    refused_own: dict[UUID, tuple[str, ...]] = field(default_factory=dict)
    absent_lists: tuple[str, ...] = ()


class RuleSetRegistry:
    """Holds the snapshot in force and replaces it when the version row moves on."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._snapshot: _Snapshot | None = None
        self._lock = threading.Lock()
        self._last_poll_at = float("-inf")
        self._refused_version: int | None = None
        self._refused_rules: tuple[str, ...] = ()
        self._builder: threading.Thread | None = None

    def get(self, tenant_id: UUID | None) -> RuleSet:
        """The set for a tenant, never older than five seconds plus the time of one build."""
        snapshot = self._snapshot or self._build_first()
        age = self._clock() - self._last_poll_at
        if age >= settings.UNDE_TUNING.RULES_POLL_SECONDS:
            self._poll(snapshot, is_waiting=age >= settings.UNDE_TUNING.RULES_STALE_SECONDS)
            snapshot = self._snapshot or snapshot
        key = tenant_id if tenant_id in snapshot.own else None
        found = snapshot.sets.get(key)
        return found if found is not None else self._build_own(snapshot, key)

    def refresh(self) -> RuleSet:
        """Load the version in force now and wait for it. Raises RuleSetRefused or PackError; then the old set stays."""
        loaded = _load()
        self._take(loaded, build_rule_set(loaded.pack, version=loaded.version), _Snapshot(0, frozenset()))
        return self._snapshot.sets[None]  # type: ignore[union-attr]  # _take has set it

    def get_status(self, tenant_id: UUID | None = None) -> RuleSetStatus:
        """What this process reads a tenant by. Looks at the version row as `get` does."""
        self.get(tenant_id)
        snapshot = self._snapshot
        assert snapshot is not None
        refused = snapshot.refused_own.get(tenant_id, ()) if tenant_id else ()
        if refused:
            return RuleSetStatus(snapshot.version, snapshot.source, snapshot.version, refused)
        return RuleSetStatus(
            version=snapshot.version,
            source=snapshot.source,
            refused_version=self._refused_version,
            refused_rules=self._refused_rules,
            absent_lists=snapshot.absent_lists,
        )

    def _build_first(self) -> _Snapshot:
        with self._lock:
            if self._snapshot is None:
                loaded = _load()
                try:
                    self._take(loaded, build_rule_set(loaded.pack, version=loaded.version), _Snapshot(0, frozenset()))
                except Exception as error:
                    # Whatever is wrong with stored rules, a message must still be stored and answered.
                    self._refuse(error, loaded.version)
                    self._snapshot = _make_fallback()
                    self._last_poll_at = self._clock()
            assert self._snapshot is not None
            return self._snapshot

    def _poll(self, snapshot: _Snapshot, *, is_waiting: bool) -> None:
        """Look at the version row, one caller at a time; a newer version starts a build."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            self._last_poll_at = self._clock()
            from patterns.selectors import find_version

            version = find_version() or 0  # no rows: the shipped pack
            if version in (snapshot.version, self._refused_version):
                return
            if self._builder is None or not self._builder.is_alive():
                loaded = _load(frozenset(key for key in snapshot.sets if key is not None))
                self._builder = threading.Thread(
                    target=self._swap, args=(loaded, snapshot), name="rule-set-build", daemon=True
                )
                self._builder.start()
            if is_waiting:
                self._builder.join(settings.UNDE_TUNING.RULES_BUILD_WAIT_SECONDS)
        finally:
            self._lock.release()

    def _swap(self, loaded: _Loaded, before: _Snapshot) -> None:
        try:
            built = build_rule_set(loaded.pack, version=loaded.version)
        except Exception as error:
            self._refuse(error, loaded.version)
            return
        self._take(loaded, built, before)
        logger.info("rule set in force", extra={"rule_set_version": loaded.version, "rules": len(built.rules)})

    def _take(self, loaded: _Loaded, built: RuleSet, before: _Snapshot) -> None:
        """Put a set in force with those of the tenants built ahead. An own one that fails leaves the old in force."""
        if loaded.absent_lists:
            logger.error("lists of grammar have no rows", extra={"lists": loaded.absent_lists})
        snapshot = _Snapshot(loaded.version, loaded.own, {None: built}, loaded.source, absent_lists=loaded.absent_lists)
        for tenant_id, pack in loaded.own_packs.items():
            _add_own(snapshot, tenant_id, pack, before.sets.get(tenant_id))
        self._snapshot, self._last_poll_at = snapshot, self._clock()
        self._refused_version, self._refused_rules = None, ()

    def _build_own(self, snapshot: _Snapshot, tenant_id: UUID | None) -> RuleSet:
        """A tenant's own set on its first use; one that fails is not tried again in this version."""
        if tenant_id is None:
            return snapshot.sets[None]
        from patterns.selectors import get_stored_pack

        with self._lock:
            if tenant_id not in snapshot.sets:
                _add_own(snapshot, tenant_id, get_stored_pack(tenant_id=tenant_id), None)
            return snapshot.sets[tenant_id]

    def _refuse(self, error: Exception, version: int) -> None:
        self._refused_version, self._refused_rules = version, _list_refused(error)
        _log_refusal(error, version=version)


def _add_own(snapshot: _Snapshot, tenant_id: UUID, pack: Pack, old: RuleSet | None) -> None:
    try:
        snapshot.sets[tenant_id] = build_rule_set(pack, version=snapshot.version)
    except Exception as error:
        _log_refusal(error, version=snapshot.version)
        snapshot.refused_own[tenant_id] = _list_refused(error)
        snapshot.sets[tenant_id] = old or snapshot.sets[None]


def _make_fallback() -> _Snapshot:
    """The shipped pack, or no rule at all: loudly, and counted."""
    try:
        shipped, source = build_rule_set(load_pack(SHIPPED), version=0), "files"
    except Exception as error:
        _log_refusal(error, version=0)
        shipped, source = RuleSet(rules=(), settings={}, version=0), "nothing"
    FALLBACKS.labels(source).inc()
    logger.critical("rules of the database are not in force", extra={"source": source})
    return _Snapshot(0, frozenset(), {None: shipped}, source)


def build_rule_set(pack: Pack, *, version: int) -> RuleSet:
    """Compile a pack and try it on its own examples. Raises PackError or RuleSetRefused; writes nothing."""
    rule_set = compile_packs([pack], version=version)
    failures = list_failed_examples(rule_set)
    if failures:
        raise RuleSetRefused(tuple(sorted({failure.rule for failure in failures})))
    assert rule_set.phrase_book  # made here, so that no message waits for it
    gc.freeze()  # tens of thousands of long-lived objects, which the collector would walk in the middle of requests
    return rule_set


def _load(in_use: frozenset[UUID] = frozenset()) -> _Loaded:
    """The rows in force; the shipped pack while no pack was loaded yet.

    Reads the packs of tenants that come to own rules too, so that their sets are ready before their next message.
    """
    from patterns.selectors import find_version, get_stored_pack, list_absent_lists, list_tenants_with_rows

    version = find_version()
    if version is None:
        return _Loaded(0, frozenset(), load_pack(SHIPPED), "files")
    own = list_tenants_with_rows()
    pack = get_stored_pack(tenant_id=None)
    ahead = sorted(own, key=lambda tenant_id: (tenant_id not in in_use, tenant_id))[
        : settings.UNDE_TUNING.RULES_BUILT_AHEAD
    ]
    packs = {tenant_id: get_stored_pack(tenant_id=tenant_id) for tenant_id in ahead}
    if not pack.rules:
        return _Loaded(version, own, load_pack(SHIPPED), "files", packs)
    return _Loaded(version, own, pack, "rows", packs, absent_lists=list_absent_lists())


def _list_refused(error: Exception) -> tuple[str, ...]:
    if isinstance(error, RuleSetRefused):
        return error.rules
    if isinstance(error, PackError):
        return tuple(dict.fromkeys(problem.partition(":")[0] for problem in error.problems))
    return ()


def _log_refusal(error: Exception, *, version: int) -> None:
    RULE_SETS_REFUSED.labels(type(error).__name__).inc()
    logger.error(
        "rule set refused, the old one stays",
        extra={"rule_set_version": version, "rules": _list_refused(error), "error": type(error).__name__},
    )


_registry = RuleSetRegistry()


def get_rule_set(*, tenant_id: UUID | None) -> RuleSet:
    """The rule set in force for a tenant; one without rows of its own shares the shared set. Thread-safe, no writes.

    Looks at the version row at most every two seconds.
    """
    return _registry.get(tenant_id)


def get_rule_set_status(*, tenant_id: UUID | None = None) -> RuleSetStatus:
    """Which version this process reads by, from where, and what it refused. Writes nothing."""
    return _registry.get_status(tenant_id)


def warm_rule_sets() -> None:
    """Build the shared set now, so that the first message of a process does not wait for it."""
    _registry.get(None)


def refresh_rule_sets() -> RuleSet:
    """Load the version in force and wait for it: for commands and tests. Raises RuleSetRefused."""
    return _registry.refresh()
