"""The token budget of a pack: slots, what is never cut, and in which order the rest gives way (SPEC P-2, S-6, D-20)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NEVER_CUT = ("system", "facts", "input", "generation")
CUT_ORDER = ("knowledge", "summaries", "entities", "pending_raw", "window", "personal")
MARGIN_SHARE, MARGIN_TOKENS = 0.05, 200


class ImpossibleBudget(Exception):
    """The configured slots cannot fit into the configured total."""


@dataclass(frozen=True, slots=True)
class Slot:
    """What a part may take: at least `minimum`, at most `maximum` tokens."""

    minimum: int
    maximum: int


DEFAULT_SLOTS: Mapping[str, Slot] = {
    "system": Slot(0, 2_000),
    "facts": Slot(0, 1_000),
    "personal": Slot(200, 4_000),
    "pending_raw": Slot(0, 500),
    "knowledge": Slot(0, 8_000),
    "entities": Slot(0, 1_000),
    "summaries": Slot(0, 3_000),
    "window": Slot(200, 6_000),
    "input": Slot(0, 2_000),
    "generation": Slot(500, 4_000),
}
DEFAULT_TOTAL = 32_000
# How deep a reply of a kind needs to reach into memory: the most that cards may take (SPEC P-2).
INTENT_DEPTHS: Mapping[str, int] = {
    "small_talk": 500,
    "greeting": 500,
    "thanks": 500,
    "question": 2_000,
    "recall": 3_000,
    "recommendation": 3_000,
    "planning": 3_000,
    "preference_check": 4_000,
    "complaint": 2_000,
    "knowledge": 1_000,
}
DEFAULT_DEPTH = 3_000


@dataclass(frozen=True, slots=True)
class BudgetPolicy:
    """The slots of an installation and the tokens they share."""

    total: int = DEFAULT_TOTAL
    slots: Mapping[str, Slot] = field(default_factory=lambda: dict(DEFAULT_SLOTS))

    def check(self) -> None:
        """Raises ImpossibleBudget when the minima and what is never cut cannot fit. Called at start."""
        for name, slot in self.slots.items():
            if slot.minimum < 0 or slot.maximum < slot.minimum:
                raise ImpossibleBudget(f"slot {name}: minimum {slot.minimum}, maximum {slot.maximum}")
        missing = [name for name in (*NEVER_CUT, *CUT_ORDER) if name not in self.slots]
        if missing:
            raise ImpossibleBudget(f"slots are missing: {', '.join(missing)}")
        needed = sum(
            self.slots[name].maximum if name in NEVER_CUT else slot.minimum for name, slot in self.slots.items()
        )
        if needed + find_margin(self.total) > self.total:
            raise ImpossibleBudget(f"{needed} tokens are never cut or the least needed, {self.total} are there")


@dataclass(frozen=True, slots=True)
class DensityCap:
    """How many cards and which share of the pack memories may take."""

    max_cards: int
    max_share: float


def find_density_cap(message_count: int) -> DensityCap:
    """By how much the user has told: few memories of a new user, more of an old one (KSP fix 6, S-6)."""
    if message_count < 50:
        return DensityCap(3, 0.30)
    if message_count < 300:
        return DensityCap(5, 0.35)
    return DensityCap(7, 0.40)


def bound_by_window(
    policy: BudgetPolicy, *, max_tokens: int | None, context_window: int | None, reply_share: float
) -> tuple[BudgetPolicy, int | None]:
    """The policy and `max_tokens` as a model's window allows them: the answer has to fit into it too.

    A window under the policy's total leaves `reply_share` of itself for the answer where the slot would take more.
    """
    if context_window is None:
        return policy, max_tokens
    reply = policy.slots["generation"].maximum
    if context_window < policy.total:
        reply = min(reply, int(context_window * reply_share))
        generation = Slot(min(policy.slots["generation"].minimum, reply), reply)
        policy = BudgetPolicy(context_window, {**policy.slots, "generation": generation})
    return policy, None if max_tokens is None else min(max_tokens, context_window - reply)


def find_margin(total: int) -> int:
    """What stays free for the error of the estimate: 5 %, at least 200 tokens."""
    return max(int(total * MARGIN_SHARE), MARGIN_TOKENS)


def allot(
    policy: BudgetPolicy, *, needs: Mapping[str, int], max_tokens: int | None, intent: str, message_count: int
) -> dict[str, int]:
    """Tokens for each slot, given what each would like to take.

    Without `max_tokens` the total is the policy's and holds room for the answer; with it, the total is for the pack
    alone. Slots that are never cut get what they need. The others get their wish up to their maximum and give way in
    CUT_ORDER.
    """
    has_generation = max_tokens is None
    total = policy.total if max_tokens is None else max_tokens
    cap = find_density_cap(message_count)
    allotted = {name: min(needs.get(name, 0), slot.maximum) for name, slot in policy.slots.items()}
    allotted["generation"] = policy.slots["generation"].maximum if has_generation else 0
    for name in ("system", "facts", "input"):
        allotted[name] = needs.get(name, 0)
    depth = INTENT_DEPTHS.get(intent, DEFAULT_DEPTH)
    allotted["personal"] = min(allotted["personal"], depth, int(total * cap.max_share))
    excess = sum(allotted.values()) + find_margin(total) - total
    for name in CUT_ORDER:
        if excess <= 0:
            break
        floor = min(policy.slots[name].minimum, allotted[name]) if has_generation else 0
        cut = min(excess, allotted[name] - floor)
        allotted[name] -= cut
        excess -= cut
    return allotted


@dataclass(frozen=True, slots=True)
class LayerShares:
    """How cards, window and the rest share what rules, facts and the question leave, where episodes take part.

    One sentence a message says more of a long life in as many tokens than cards do, so summaries get what is left.
    """

    personal: float = 0.2
    window: float = 0.1
    entities: float = 0.05
    pending_raw: float = 0.05
    knowledge: float = 0.25


LAYER_SHARES = LayerShares()
BROAD_SHARES = LayerShares(personal=0.0, window=0.05, entities=0.0, pending_raw=0.0)
"""For a question that many messages answer together."""


def allot_with_layers(
    policy: BudgetPolicy,
    *,
    needs: Mapping[str, int],
    max_tokens: int | None,
    intent: str,
    message_count: int,
    shares: LayerShares = LAYER_SHARES,
) -> dict[str, int]:
    """As `allot`, for a pack with episodes: where room is short, cards, window, entities and pending messages keep to
    their shares, and what they leave is for summaries; what these do not wish goes to the window."""
    allotted = allot(policy, needs=needs, max_tokens=max_tokens, intent=intent, message_count=message_count)
    total = policy.total if max_tokens is None else max_tokens
    fixed = sum(allotted[name] for name in NEVER_CUT) + find_margin(total)
    left = room = max(0, total - fixed)
    for name in ("personal", "window", "pending_raw", "entities", "knowledge"):
        wish = min(needs.get(name, 0), policy.slots[name].maximum)
        own = min(wish, allotted[name]) if name == "personal" else wish
        allotted[name] = min(own, int(room * getattr(shares, name)), left)
        left -= allotted[name]
    allotted["summaries"] = min(left, policy.slots["summaries"].maximum, needs.get("summaries", 0))
    left -= allotted["summaries"]
    more = min(left, min(needs.get("window", 0), policy.slots["window"].maximum) - allotted["window"])
    allotted["window"] += max(0, more)
    return allotted


def is_overdrawn(allotted: Mapping[str, int], *, policy: BudgetPolicy, max_tokens: int | None) -> bool:
    """Whether what is never cut alone passes the total."""
    return sum(allotted.values()) > (policy.total if max_tokens is None else max_tokens)
