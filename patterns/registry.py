"""Which rule set is in force (provisional: the shared pack from its folder; rows and hot reload take its place)."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from uuid import UUID

from patterns.pack import compile_packs, load_pack
from patterns.ruleset import RuleSet


@lru_cache(maxsize=1)
def _load_shared() -> RuleSet:
    return compile_packs([load_pack(Path(__file__).parent / "packs" / "fashion")], version=1)


def get_rule_set(*, tenant_id: UUID | None) -> RuleSet:
    """The rule set of a tenant: the shared one."""
    return _load_shared()


def warm_rule_sets() -> None:
    """Build the set before the first request."""
    _load_shared()
