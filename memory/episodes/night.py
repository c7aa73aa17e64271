"""The nightly round: accesses are counted, priorities worked out, layers moved, links found (D-22, D-44).

One user is one transaction that marks its rows, so a round that is interrupted goes on where it stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from msgspec.json import encode

from memory.database.statements import execute, fetch_rows
from memory.episodes import recipe
from memory.episodes.layers import Thresholds, choose_layer, find_idle_days, weigh_priority
from memory.episodes.links import Links, Profile, find_likeness, link_episodes, list_projects, list_words
from memory.episodes.models import Episode
from memory.episodes.storing import open_contents
from memory.fence.user_lock import lock_user
from memory.sealing.vault import UserVault
from memory.tenants.scope import tenant_scope
from memory.tenants.selectors import find_tenant
from memory.tenants.services.tenants import read_settings
from memory.tenants.types import TenantSettings
from memory.types import UserRef
from patterns.text.tokens import tokenise

_ACCESSES: Final = """
SELECT episode_id, sum(accesses)::integer, max(last_at) FROM episode_access WHERE user_id = %s AND last_at <= %s
 GROUP BY episode_id
"""
_PROFILE: Final = """
SELECT DISTINCT p.episode_id FROM user_knowledge k CROSS JOIN unnest(k.evidence_message_ids) AS said (id)
  JOIN episode_message p ON p.user_id = k.user_id AND p.message_id = said.id
 WHERE k.user_id = %s AND k.is_active AND k.knowledge_type = ANY(%s)
"""
_INSTRUCTIONS: Final = """
SELECT DISTINCT p.episode_id FROM memory_message m
  JOIN episode_message p ON p.user_id = m.user_id AND p.message_id = m.id
 WHERE m.user_id = %s AND m.role = 'system'
"""
_SAID: Final = """
SELECT left(content, 600) FROM memory_message
 WHERE user_id = %s AND created_at BETWEEN %s AND %s AND role = 'user' AND forgotten_at IS NULL
 ORDER BY created_at DESC LIMIT %s
"""
_WRITE: Final = """
UPDATE episode e SET layer = n.layer, priority = n.priority, parts = n.parts, anchored_by = n.anchored_by,
  access_count = n.access_count, last_accessed_at = n.last_accessed_at, continues_from = n.continues_from,
  related_to = n.related_to, layered_at = %s
  FROM json_to_recordset(%s::json) AS n (id uuid, layer varchar, priority double precision, parts double precision[],
    anchored_by varchar[], access_count integer, last_accessed_at timestamptz, continues_from uuid, related_to uuid[])
 WHERE e.user_id = %s AND e.id = n.id
"""


@dataclass(frozen=True, slots=True)
class Signs:
    """What a night knows of a user beside the episodes."""

    accesses: Mapping[UUID, tuple[int, datetime]]
    profile: frozenset[UUID]
    instructions: frozenset[UUID]
    said: Mapping[str, int]


def layer_user(*, user: UserRef, now: datetime) -> Counter[str]:
    """One user's round: how many episodes are in each layer afterwards. Raises UserBusy, UserErased. Writes."""
    with tenant_scope(user.tenant_id):
        lock_user(user=user)
        rows = list(Episode.objects.filter(user_id=user.id).order_by("started_at", "id"))
        if not rows:
            return Counter()
        signs = read_signs(user, now)
        profiles = read_profiles(user, rows)
        links, thresholds = find_links(rows, profiles), read_thresholds(user.tenant_id)
        projects = list_projects(profiles, {one: found.continues_from for one, found in links.items()})
        changes = [
            decide(row, profile, links[row.id], signs, thresholds, is_project=row.id in projects, now=now)
            for row, profile in zip(rows, profiles, strict=True)
        ]
        execute(_WRITE, [now, encode(changes).decode(), user.id])
    return Counter(str(change["layer"]) for change in changes)


def read_thresholds(tenant_id: UUID) -> Thresholds:
    """As the tenant has set them. In its scope."""
    tenant = find_tenant(tenant_id=tenant_id)
    stored = read_settings(tenant) if tenant else TenantSettings()
    cold = max(stored.layer_cold_days, stored.layer_warm_days)
    return Thresholds(stored.layer_warm_days, cold, stored.layer_lift_above)


def read_signs(user: UserRef, now: datetime) -> Signs:
    """Accesses, facts, instructions and what was said lately."""
    said: Counter[str] = Counter()
    since = now - recipe.LIKENESS_WINDOW
    for (text,) in fetch_rows(_SAID, [user.id, since, now, recipe.LIKENESS_MESSAGES]):
        said.update({token.lexemes[0][0] for token in tokenise(text)})
    return Signs(
        accesses={row[0]: (row[1], row[2]) for row in fetch_rows(_ACCESSES, [user.id, now])},
        profile=frozenset(row[0] for row in fetch_rows(_PROFILE, [user.id, list(recipe.PROFILE_TYPES)])),
        instructions=frozenset(row[0] for row in fetch_rows(_INSTRUCTIONS, [user.id])),
        said=said,
    )


def read_profiles(user: UserRef, rows: Sequence[Episode]) -> list[Profile]:
    """What episodes are compared by, in their order."""
    opened = open_contents([row.sealed for row in rows], UserVault(user_id=user.id))
    return [
        Profile(row.id, row.started_at, row.ended_at, row.continues_from, list_words(contents))
        for row, contents in zip(rows, opened, strict=True)
    ]


def find_links(rows: Sequence[Episode], profiles: Sequence[Profile]) -> dict[UUID, Links]:
    """The links of new episodes, and those that the others have, without what is gone."""
    there = {row.id for row in rows}
    fresh = {row.id for row in rows if row.layered_at is None}
    kept = {
        row.id: Links(
            row.continues_from if row.continues_from in there else None,
            tuple(each for each in row.related_to if each in there),
        )
        for row in rows
        if row.id not in fresh
    }
    return kept | link_episodes(profiles, wanted=fresh)


def decide(
    row: Episode,
    profile: Profile,
    links: Links,
    signs: Signs,
    thresholds: Thresholds,
    *,
    is_project: bool,
    now: datetime,
) -> dict[str, Any]:
    """What the round writes of one episode. Pure but for the row that it reads, in which it notes the accesses."""
    row.access_count, row.last_accessed_at = signs.accesses.get(row.id, (0, None))
    reasons = [
        name
        for name, holds in (
            ("profile", row.id in signs.profile),
            ("project", is_project),
            ("instructions", row.id in signs.instructions),
        )
        if holds
    ]
    idle_days, is_anchor = find_idle_days(row, now=now), row.is_kept or bool(reasons)
    likeness = find_likeness(profile.words, signs.said)
    parts = weigh_priority(idle_days=idle_days, accesses=row.access_count, is_anchor=is_anchor, likeness=likeness)
    priority = min(1.0, sum(parts))
    return {
        "id": row.id,
        "layer": choose_layer(idle_days=idle_days, priority=priority, is_anchor=is_anchor, thresholds=thresholds),
        "priority": priority,
        "parts": parts,
        "anchored_by": reasons,
        "access_count": row.access_count,
        "last_accessed_at": row.last_accessed_at.astimezone(UTC) if row.last_accessed_at else None,
        "continues_from": links.continues_from,
        "related_to": links.related_to,
    }
