"""Counters of the room. Labels are codes; no user text."""

from prometheus_client import Counter

RULE_SETS_REFUSED = Counter("unde_rule_sets_refused_total", "Rule sets that were not put in force", ["reason"])
FALLBACKS = Counter(
    "unde_rule_set_fallbacks_total",
    "Processes that started on the shipped pack or on no rule",
    ["source"],
)
