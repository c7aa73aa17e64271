"""Facts, opened. Everything a person may see about themselves is complete here (SPEC F-7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet
from msgspec import Struct
from msgspec.structs import asdict, replace

from memory.database.queries import Query
from memory.errors import NotFound
from memory.models import FactRow
from memory.sealing.vault import UserVault
from memory.tenants.scope import ask
from memory.types import Fact, UserRef


def open_fact(row: FactRow, *, vault: UserVault) -> Fact:
    """A row with its key and value unsealed. Raises SealBroken, UserKeyDestroyed."""
    content = vault.open(row.sealed, purpose="fact")
    return Fact(
        id=row.id,
        knowledge_type=row.knowledge_type,
        knowledge_key=content["key"],
        value=content["value"],
        confidence=row.confidence,
        extracted_from=row.extracted_from,
        provenance=row.provenance,
        epistemic_type=row.epistemic_type,
        valid_at=row.valid_at,
        invalid_at=row.invalid_at,
        expires_at=row.expires_at,
        last_validated_at=row.last_validated_at,
        log_position=row.log_position,
        version=row.version,
        is_active=row.is_active,
        is_disputed=row.is_disputed,
        evidence_message_ids=tuple(row.evidence_message_ids),
        superseded_by=row.superseded_by,
        language=row.language,
        rule=row.rule,
        rule_version=row.rule_version,
    )


# A fact closed by a forget keeps its value, for the way back: no read may show it meanwhile (SPEC G-1).
_RESTS_ON_NOTHING_FORGOTTEN = """
  user_knowledge.extracted_from = 'onboarding' OR NOT EXISTS (
    SELECT FROM memory_message m
     WHERE m.user_id = user_knowledge.user_id AND m.id = ANY(user_knowledge.evidence_message_ids)
       AND m.forgotten_at IS NOT NULL)
"""


def _list_readable(user: UserRef) -> QuerySet[FactRow]:
    """The user's rows, history included, without what rests on forgotten messages."""
    return FactRow.objects.filter(user_id=user.id).extra(where=[_RESTS_ON_NOTHING_FORGOTTEN])


class SealedFact(Struct, frozen=True):
    """A row of `user_knowledge`, its columns in the order of `_ACTIVE_FACTS`; key and value are in `sealed`, as hex."""

    sealed: str
    id: UUID
    knowledge_type: str
    confidence: float
    extracted_from: str
    provenance: str
    valid_at: datetime
    last_validated_at: datetime
    log_position: int
    version: int
    epistemic_type: str
    expires_at: datetime | None
    invalid_at: datetime | None
    is_active: bool
    is_disputed: bool
    evidence_message_ids: Sequence[UUID]
    superseded_by: UUID | None
    language: str
    rule: str | None
    rule_version: int | None


def open_sealed_facts(rows: Sequence[SealedFact], *, user: UserRef) -> list[Fact]:
    """Rows with their keys and values unsealed. Raises SealBroken, UserKeyDestroyed."""
    if not rows:
        return []
    contents = UserVault(user_id=user.id).open_all([bytes.fromhex(row.sealed) for row in rows], purpose="fact")
    facts = []
    for row, content in zip(rows, contents, strict=True):
        fields = asdict(row) | {"evidence_message_ids": tuple(row.evidence_message_ids)}
        del fields["sealed"]
        facts.append(Fact(knowledge_key=content["key"], value=content["value"], **fields))
    return facts


# Every pack reads these: as a statement of its own it costs a quarter of the ORM's.
_ACTIVE_FACTS = """
SELECT encode(sealed, 'hex'), id, knowledge_type, confidence, extracted_from, provenance, valid_at, last_validated_at,
       log_position, version, epistemic_type, expires_at, invalid_at, is_active, is_disputed, evidence_message_ids,
       superseded_by, language, rule, rule_version
  FROM user_knowledge k
 WHERE k.user_id = %s::uuid AND is_active
   AND (%s::timestamptz IS NULL OR expires_at IS NULL OR expires_at > %s::timestamptz)
 ORDER BY log_position, id
"""


def list_active_facts(*, user: UserRef, now: datetime | None = None) -> list[Fact]:
    """What is known now, oldest first. With `now`, what expired is left out even before the job closes it."""
    rows = ask(make_active_facts_query(user=user, now=now))
    return open_sealed_facts([SealedFact(*row) for row in rows], user=user)


def make_active_facts_query(*, user: UserRef, now: datetime | None = None) -> Query:
    """The query of `list_active_facts`, to be prefetched."""
    return Query(_ACTIVE_FACTS, [user.id, now, now])


def list_facts(
    *,
    user: UserRef,
    knowledge_type: str | None = None,
    include_inactive: bool = False,
    now: datetime,
    after: UUID | None = None,
    limit: int,
    as_of: datetime | None = None,
) -> list[Fact]:
    """One page of a user's facts in the order in which they were written (ids are ordered by time).

    With `as_of` they are as they stood at that moment: what was said later is not there, and what was closed later
    still holds.
    """
    rows = _list_readable(user)
    if knowledge_type:
        rows = rows.filter(knowledge_type=knowledge_type)
    if as_of is not None:
        rows = rows.filter(valid_at__lte=as_of)
    if not include_inactive:
        rows = rows.filter(_held_at(as_of)) if as_of else rows.filter(_held_at(now), is_active=True)
    if after:
        rows = rows.filter(id__gt=after)
    facts = _open_all(rows.order_by("id")[:limit], user=user)
    return [_look_back(fact, moment=as_of) for fact in facts] if as_of else facts


def _held_at(moment: datetime) -> Q:
    is_open = Q(invalid_at=None) | Q(invalid_at__gt=moment)
    return is_open & (Q(expires_at=None) | Q(expires_at__gt=moment))


def _look_back(fact: Fact, *, moment: datetime) -> Fact:
    """The fact without what was done to it after the moment."""
    if fact.invalid_at is not None and fact.invalid_at <= moment:
        return fact
    is_active = fact.expires_at is None or fact.expires_at > moment
    return replace(fact, is_active=is_active, invalid_at=None, superseded_by=None)


def list_facts_as_of(*, user: UserRef, moment: datetime, knowledge_type: str | None = None) -> list[Fact]:
    """What held at a moment in the past: said by then, not yet superseded, closed or expired then."""
    rows = _list_readable(user).filter(_held_at(moment), valid_at__lte=moment)
    if knowledge_type:
        rows = rows.filter(knowledge_type=knowledge_type)
    return _open_all(rows.order_by("log_position", "id"), user=user)


def list_facts_by_id(*, user: UserRef, fact_ids: Iterable[UUID]) -> dict[UUID, Fact]:
    """The given facts of this user by id; those of others are not there."""
    return {
        fact.id: fact for fact in _open_all(FactRow.objects.filter(user_id=user.id, id__in=list(fact_ids)), user=user)
    }


def get_fact(*, user: UserRef, fact_id: UUID) -> Fact:
    """One fact, active or not. Raises NotFound."""
    found = list_facts_by_id(user=user, fact_ids=[fact_id])
    if fact_id not in found:
        raise NotFound("This fact does not exist.", fields={"fact_id": "unknown"})
    return found[fact_id]


def list_versions(*, user: UserRef, fact: Fact) -> list[Fact]:
    """Every version of the fact's key, oldest first: its timeline (SPEC F-4)."""
    rows = _list_readable(user).filter(
        knowledge_type=fact.knowledge_type,
        key_hash=UserVault(user_id=user.id).fingerprint(*fact.slot),
    )
    return _open_all(rows.order_by("valid_at", "version"), user=user)


def _open_all(rows: Iterable[FactRow], *, user: UserRef) -> list[Fact]:
    vault = UserVault(user_id=user.id)
    return [open_fact(row, vault=vault) for row in rows]
