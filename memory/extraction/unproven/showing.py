"""Unverified candidates and adaptive items for a pack, separate from facts (D-25, SPEC X-7). Reads only.

One statement for both. Each comes with the user's own words (T-3), so that a reader can judge what it rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.conf import settings

from memory.database.queries import Query
from memory.extraction.judging.adaptive import list_items_to_show
from memory.extraction.types import Item, Unproven
from memory.extraction.unproven import candidates, items
from memory.sealing.vault import UserVault
from memory.selectors.messages import list_current_messages
from memory.tenants.scope import ask
from memory.types import Fact, UserRef

# Indexes: a_key_waits_once, an_item_is_held_once. `at` is now, or the moment whose pack is made again.
_READ = """
SELECT 'candidate', c.id, c.knowledge_type, c.sealed, c.confidence, c.evidence_message_ids, c.first_said_at,
       c.last_said_at, c.expires_at, c.language
  FROM fact_candidate c
 WHERE c.user_id = %(user_id)s::uuid AND c.kind = 'unknown_allergen'
   AND c.created_at <= %(at)s AND c.expires_at > %(at)s
   AND (c.status = 'open' OR c.status <> 'forgotten' AND c.updated_at > %(at)s)
UNION ALL
SELECT 'adaptive', i.id, i.item_type, i.sealed, i.confidence, i.evidence_message_ids, i.first_said_at,
       i.last_said_at, i.expires_at, i.language
  FROM adaptive_item i
 WHERE i.user_id = %(user_id)s::uuid AND i.created_at <= %(at)s AND i.expires_at > %(at)s
   AND (i.status = 'active' OR i.status NOT IN ('forgotten', 'waiting') AND i.updated_at > %(at)s)
   AND (SELECT t.settings ->> 'is_adaptive_policy_on' = 'true' FROM tenant t WHERE t.id = i.tenant_id)
 ORDER BY 2
"""


def list_unproven(*, user: UserRef, facts: Sequence[Fact], at: datetime) -> list[Unproven]:
    """Candidates first, then the surest items that no fact of the same key settles. In a tenant scope.

    Items only where the tenant has the adaptive policy on. Raises SealBroken, UserKeyDestroyed.
    """
    rows = ask(make_unproven_query(user=user, at=at))
    if not rows:
        return []
    vault = UserVault(user_id=user.id)
    waiting = [_open_candidate(row, vault) for row in rows if row[0] == "candidate"]
    shown = list_items_to_show(
        [_open_item(row, vault) for row in rows if row[0] == "adaptive"],
        silenced_keys=frozenset(fact.knowledge_key for fact in facts),
        now=at,
        limit=settings.UNDE_TUNING.PACK_ITEMS,
        least=settings.UNDE_TUNING.PACK_ITEM_CONFIDENCE,
    )
    return _add_excerpts(user, [*waiting, *(_show_item(item, weight) for item, weight in shown)])


def make_unproven_query(*, user: UserRef, at: datetime) -> Query:
    """The query of `list_unproven`, to be prefetched."""
    return Query(_READ, {"user_id": user.id, "at": at})


def _open_candidate(row: tuple[Any, ...], vault: UserVault) -> Unproven:
    """An unchecked proposal is an observation, however sure the model was (SPEC F-4)."""
    content = vault.open(row[3], purpose=candidates.PURPOSE)
    confidence = min(row[4], settings.UNDE_TUNING.CONFIDENCE_CAPS["observation"])
    return Unproven(row[1], row[0], row[2], content["key"], content["value"], confidence, tuple(row[5]), row[7])


def _open_item(row: tuple[Any, ...], vault: UserVault) -> Item:
    content = vault.open(row[3], purpose=items.PURPOSE)
    return Item(
        id=row[1],
        item_type=row[2],
        key=content["key"],
        value=content["value"],
        confidence=row[4],
        evidence_message_ids=tuple(row[5]),
        first_said_at=row[6],
        last_said_at=row[7],
        expires_at=row[8],
        language=row[9],
    )


def _show_item(item: Item, weight: float) -> Unproven:
    return Unproven(
        id=item.id,
        source="adaptive",
        knowledge_type=item.item_type,
        knowledge_key=item.key,
        value=item.value,
        confidence=round(weight, 4),
        evidence_message_ids=item.evidence_message_ids,
        said_at=item.last_said_at,
    )


def _add_excerpts(user: UserRef, found: Sequence[Unproven]) -> list[Unproven]:
    """The last evidence of each; one whose words are gone is not shown."""
    said = list_current_messages(user=user, message_ids=[one.evidence_message_ids[-1] for one in found])
    return [
        replace(one, excerpt=said[one.evidence_message_ids[-1]].content[: settings.UNDE_TUNING.PACK_ITEM_EXCERPT])
        for one in found
        if one.evidence_message_ids[-1] in said
    ]
