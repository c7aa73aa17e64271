"""LangGraph: a store whose documents are kept items, each of one user.

store = UndeStore(Memory(), user="layla")
graph = builder.compile(store=store)
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
)

from unde_memory.sync_client import Memory

try:
    from langgraph.store.base import validate_op_namespace
except ImportError:  # before 4.3 a label with a dot is refused by the service

    def validate_op_namespace(op: Op) -> None:
        """Nothing to look at here."""


AT_ONCE = 500
MOST = 1000


class UndeStore(BaseStore):
    """`user` names the user of all items; leave it out where the key names one, or a label of the namespace does."""

    supports_ttl = True

    def __init__(
        self,
        memory: Memory,
        *,
        user: str | None = None,
        ttl: TTLConfig | None = None,
        index: Sequence[str] | None = None,
    ) -> None:
        """`index`: the fields that are searched where a put names none; None the whole document."""
        self.memory = memory.as_user(user) if user is not None else memory
        self.ttl_config, self.fields = ttl, index

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in order, many in one request."""
        wanted = list(ops)
        for op in wanted:
            validate_op_namespace(op)
        steps = [(op, self._write(op)) for op in wanted]
        results: list[Result] = []
        for start in range(0, len(steps), AT_ONCE):
            part = steps[start : start + AT_ONCE]
            answer = self.memory.store_batch([step for _, step in part])
            results += [_read(op, self._fill(op, found)) for (op, _), found in zip(part, answer.results)]  # noqa: B905
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`, without holding up the event loop."""
        return await asyncio.to_thread(self.batch, list(ops))

    def _fill(self, op: Op, found: Any) -> Any:
        """As many as were asked for: a step gives one page, and none of less than one."""
        if not isinstance(op, SearchOp | ListNamespacesOp):
            return found
        page = found
        while len(page) == MOST and len(found) < op.limit:
            more = op._replace(limit=op.limit - len(found), offset=op.offset + len(found))
            page = self.memory.store_batch([self._write(more)]).results[0]
            found = [*found, *page]
        return found[: op.limit]

    def _write(self, op: Op) -> dict[str, Any]:
        if isinstance(op, GetOp):
            where = {"namespace": list(op.namespace), "key": str(op.key)}
            return {"op": "get", **where, "refresh_ttl": self._renews(op.refresh_ttl)}
        if isinstance(op, PutOp):
            return self._write_put(op)
        if isinstance(op, SearchOp):
            return {
                "op": "search",
                "namespace_prefix": list(op.namespace_prefix),
                "filter": op.filter,
                "query": op.query,
                "limit": max(1, min(op.limit, MOST)),
                "offset": op.offset,
                "refresh_ttl": self._renews(op.refresh_ttl),
            }
        assert isinstance(op, ListNamespacesOp)
        paths = {condition.match_type: list(condition.path) for condition in op.match_conditions or ()}
        return {
            "op": "namespaces",
            **paths,
            "max_depth": op.max_depth,
            "limit": max(1, min(op.limit, MOST)),
            "offset": op.offset,
        }

    def _write_put(self, op: PutOp) -> dict[str, Any]:
        where = {"namespace": list(op.namespace), "key": str(op.key)}
        if op.value is None:
            return {"op": "delete", **where}
        ttl = op.ttl
        if ttl is None and self.ttl_config:
            ttl = self.ttl_config.get("default_ttl")
        index = op.index if op.index is not None else self.fields
        index = list(index) if isinstance(index, list | tuple) else index
        return {"op": "put", **where, "value": dict(op.value), "index": index, "ttl": ttl}

    def _renews(self, wish: bool | None) -> bool | None:
        return wish if wish is not None else (self.ttl_config or {}).get("refresh_on_read")


def _read(op: Op, found: Any) -> Result:
    if isinstance(op, GetOp):
        return Item(**_list_fields(found)) if found is not None else None
    if isinstance(op, SearchOp):
        return [SearchItem(**_list_fields(one), score=one["score"]) for one in found]
    if isinstance(op, ListNamespacesOp):
        return [tuple(one) for one in found]
    return None


def _list_fields(found: dict[str, Any]) -> dict[str, Any]:
    names: Sequence[str] = ("key", "value", "created_at", "updated_at")
    return {"namespace": tuple(found["namespace"]), **{name: found[name] for name in names}}
