"""Expressions of Prometheus taken apart as Prometheus does, for tests of alert rules and of the board."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import promql_parser


@dataclass(frozen=True, slots=True)
class Parts:
    """What an expression rests on: metric names with the labels asked of each, and label values by name and label."""

    labels: dict[str, set[str]] = field(default_factory=dict)
    values: set[tuple[str, str, str]] = field(default_factory=set)
    """(metric, label, value) of plain equalities."""


def parse_expression(expression: str) -> Parts:
    """Raises ValueError for what Prometheus would refuse, types of arguments included."""
    parts = Parts()
    _visit(promql_parser.parse(expression), parts, frozenset())
    return parts


def _visit(node: Any, parts: Parts, grouped: frozenset[str]) -> None:
    """Labels that an aggregation keeps must be labels of every series below it."""
    match node:
        case promql_parser.VectorSelector():
            name = node.name or ""
            asked = {matcher.name for matcher in node.matchers.matchers} | grouped - {"le"}
            parts.labels.setdefault(name, set()).update(asked)
            equal = [each for each in node.matchers.matchers if each.op == promql_parser.MatchOp.Equal]
            parts.values.update((name, each.name, each.value) for each in equal)
        case promql_parser.MatrixSelector():
            _visit(node.vector_selector, parts, grouped)
        case promql_parser.AggregateExpr():
            _visit(node.expr, parts, grouped | frozenset(node.modifier.labels if node.modifier else ()))
        case promql_parser.BinaryExpr():
            _visit(node.lhs, parts, grouped)
            _visit(node.rhs, parts, grouped)
        case promql_parser.Call():
            inner = frozenset() if node.func.name == "scalar" else grouped
            for argument in node.args:
                _visit(argument, parts, inner)
        case promql_parser.ParenExpr() | promql_parser.SubqueryExpr() | promql_parser.UnaryExpr():
            _visit(node.expr, parts, grouped)
