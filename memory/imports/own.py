"""Our own export, on another installation or for another tenant: both logs are taken over, and facts are their fold.

Ids stay as they are, so that actions still name their facts and messages; an import can be repeated without harm. Lines
are taken a few hundred at a time, all in one transaction or each few hundred in one of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any, Final
from uuid import UUID

import msgspec
from django.conf import settings
from django.db import IntegrityError

from memory.database.statements import execute
from memory.errors import CodedError, Conflict, ConsentMissing, InvalidRequest
from memory.facts.ledger import PendingAction
from memory.facts.writing import insert_actions
from memory.fence.consents import list_withheld, name_types, refuse_withheld
from memory.fence.user_lock import enter_user
from memory.imports.lines import ActionLine, ConversationLine, MessageLine, read_line
from memory.imports.own_messages import Drafted, ImportedConversations, draft_messages, store_messages
from memory.imports.reading import Row
from memory.imports.types import ImportOutcome, Progress, ignore_progress
from memory.models import Action, FactRow, Message
from memory.rebuild.comparing import compare_facts
from memory.rebuild.folding import fold_logs
from memory.rebuild.logs import load_logs
from memory.rebuild.running import list_folding_steps
from memory.rebuild.writing import list_slots, write_fold
from memory.registries import ImportContext, importers, rebuilders
from memory.sealing.vault import UserVault
from memory.services.withholding import close_withheld_facts
from memory.tenants.scope import tenant_scope
from memory.types import Fact, TenantRef, UserRef
from patterns.registry import get_rule_set

ACTOR: Final = "import"
ORDER: Final = ("conversation", "message", "action", "fact")
ALONE: Final = frozenset({"kept_item", "consent", "visit", "pause"})
"""Lines that are taken over where the user has said nothing."""


class IdTaken(Conflict):
    """The export is of a user who is still here under another id of the tenant: ids name one thing only."""

    code = "id_taken"
    default_message = "This export belongs to another user. Import it for that user, or into another tenant."


class ImportInconsistent(InvalidRequest):
    """The logs of the file contradict each other; nothing was stored."""

    code = "import_inconsistent"
    default_message = "The logs of this export contradict each other. Nothing was stored."


def import_export(
    *,
    tenant: TenantRef,
    user_external_id: str,
    rows: Iterable[Row],
    now: datetime,
    outcome: ImportOutcome,
    report: Progress = ignore_progress,
) -> None:
    """Take over both logs and make facts and index their fold, in one transaction under the user's lock. Writes.

    All rows are held in memory, and lines may stand in any order; `report` gets how many are taken and how many there
    are. Raises IdTaken, ImportInconsistent, ErasedPeriod, ConsentMissing, UserErased, UserBusy; then nothing is stored.
    """
    taking = _Taking(tenant, user_external_id, now, outcome)
    lines, taken = sorted(rows, key=_find_order), 0
    with tenant_scope(tenant.id):
        for chunk in _split(lines):
            taking.take(chunk)
            report(taken := taken + len(chunk), len(lines))
        taking.finish()
    outcome.errors.sort(key=lambda error: error.line)


def import_export_in_pieces(
    *,
    tenant: TenantRef,
    user_external_id: str,
    rows: Iterable[Row],
    now: datetime,
    outcome: ImportOutcome,
    report: Callable[[int | None], None],
) -> None:
    """As `import_export` for a file of any size: each few hundred lines are a transaction, facts come with the last.

    What is interrupted goes on where it stopped when it is started again. `report` gets the number of the last line
    taken, and None when all are and facts and index are made of them. Lines must stand in the order of an export.
    Raises as `import_export`; what was taken before stays. Writes.
    """
    taking = _Taking(tenant, user_external_id, now, outcome)
    for chunk in _split(rows):
        with tenant_scope(tenant.id):
            taking.take(chunk)
        report(chunk[-1][0])
    report(None)
    with tenant_scope(tenant.id):
        taking.finish()


def _find_order(row: Row) -> int:
    kind = row[1].get("kind") if isinstance(row[1], dict) else None
    return ORDER.index(kind) if kind in ORDER else len(ORDER)


def _split(rows: Iterable[Row]) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while chunk := list(islice(remaining, settings.UNDE_TUNING.IMPORT_LINES_AT_ONCE)):
        yield chunk


class _Taking:
    """One import in progress: what later lines must know of earlier ones. Bounded by actions and facts, not by text."""

    def __init__(self, tenant: TenantRef, user_external_id: str, now: datetime, outcome: ImportOutcome) -> None:
        self.tenant = tenant
        self.external_id = user_external_id
        self.now = now
        self.outcome = outcome
        self.conversations = ImportedConversations()
        self.facts: dict[UUID, Fact] = {}
        self.positions: dict[int, int] = {}
        self.base: int | None = None
        self.has_entered = False

    def take(self, chunk: Sequence[Row]) -> None:
        """Store a few hundred lines. Inside a tenant scope. Writes."""
        messages: dict[UUID, tuple[int, MessageLine]] = {}
        actions: dict[UUID, ActionLine] = {}
        others: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        for number, row in chunk:
            try:
                if isinstance(row, InvalidRequest):
                    raise row
                value = read_line(row)
            except CodedError as error:
                self.outcome.add_error(number, error)
                continue
            if isinstance(value, ConversationLine):
                self.conversations.names[value.id] = value.external_id
            elif isinstance(value, MessageLine):
                messages[value.id] = (number, value)
            elif isinstance(value, ActionLine):
                actions[value.id] = value
            elif isinstance(value, Fact):
                self.facts[value.id] = value
            elif isinstance(row.get("kind"), str) and row["kind"] in dict(importers.items()):
                others.setdefault(row["kind"], []).append((number, row))
            else:
                self.outcome.ignored += 1
        self._store(list(messages.values()), list(actions.values()), others)

    def finish(self) -> None:
        """Facts and index, when all lines are there. Inside a tenant scope. Writes."""
        if not self.has_entered:
            return
        try:
            user = self._enter([])
            self._refuse_taken(user, FactRow, list(self.facts))
            self._fold(user)
            self._hold_to_consents(user)
        except IntegrityError:
            raise ImportInconsistent from None

    def _store(
        self,
        messages: list[tuple[int, MessageLine]],
        actions: list[ActionLine],
        others: dict[str, list[tuple[int, dict[str, Any]]]],
    ) -> None:
        drafted = draft_messages(
            messages,
            names=self.conversations.names,
            user_external_id=self.external_id,
            now=self.now,
            outcome=self.outcome,
        )
        has_others = bool(others) and (self.has_entered or not ALONE.isdisjoint(others))
        if not drafted and not actions and not has_others:
            self.outcome.ignored += sum(map(len, others.values()))
            return
        try:
            user = self._enter(drafted)
            self._refuse_taken(user, Message, [line.id for line, _ in drafted])
            self._refuse_taken(user, Action, [line.id for line in actions])
            if drafted:
                store_messages(
                    drafted,
                    user=user,
                    tenant=self.tenant,
                    conversations=self.conversations,
                    now=self.now,
                    outcome=self.outcome,
                )
            self._store_actions(user, actions)
            self._store_others(user, others)
        except IntegrityError:
            raise ImportInconsistent from None

    def _enter(self, drafted: Drafted) -> UserRef:
        self.has_entered = True
        drafts = [draft for _, draft in drafted]
        user = enter_user(tenant_id=self.tenant.id, external_id=self.external_id, now=self.now, drafts=drafts)
        if drafts:
            refuse_withheld(user=user, kinds=["messages"])
        return user

    def _hold_to_consents(self, user: UserRef) -> None:
        """Leave out what the user has not agreed to here, wherever the file comes from."""
        withheld = list_withheld(user=user)
        if "messages" in withheld and Message.objects.filter(user_id=user.id).exists():
            raise ConsentMissing(fields={"user_id": "has not agreed to messages"})
        close_withheld_facts(user=user, types=name_types(withheld), actor=ACTOR, now=self.now)

    def _refuse_taken(self, user: UserRef, model: Any, ids: Sequence[UUID]) -> None:
        if ids and model.objects.filter(tenant_id=user.tenant_id, id__in=ids).exclude(user_id=user.id).exists():
            raise IdTaken

    def _store_actions(self, user: UserRef, lines: Sequence[ActionLine]) -> None:
        """Append what the log does not hold yet, in order; remember each one's position here."""
        stored = dict(
            Action.objects.filter(user_id=user.id, id__in=[line.id for line in lines]).values_list("id", "position")
        )
        if self.base is None and lines:
            newest = Action.objects.filter(user_id=user.id).order_by("-position").first()
            self.base = newest.position if newest else 0
        vault = UserVault(user_id=user.id)
        for line in sorted(lines, key=lambda each: each.position):
            if line.id in stored:
                self.positions[line.position] = stored[line.id]
                self.outcome.repeated += 1
                continue
            position = (self.base or 0) + line.position
            self.positions[line.position] = position
            pending = _make_action(line, position=position)
            recorded_at = min(line.recorded_at, self.now)
            insert_actions([pending], user=user, actor=ACTOR, vault=vault, now=recorded_at)
            self.outcome.actions += 1
        execute(
            "UPDATE memory_user SET log_position = greatest(log_position, %s) WHERE id = %s",
            [max(self.positions.values(), default=0), user.id],
        )

    def _store_others(self, user: UserRef, others: dict[str, list[tuple[int, dict[str, Any]]]]) -> None:
        """Receipts and the log of corrections: what other rooms say of messages and facts that are here now."""
        context = ImportContext(
            user=user, now=self.now, positions=self.positions, find_conversation=self.conversations.find_id
        )
        for kind, rows in others.items():
            answers = dict(importers.items())[kind]([row for _, row in rows], context)
            for (number, _), answer in zip(rows, answers, strict=True):
                if isinstance(answer, CodedError):
                    self.outcome.add_error(number, answer)
                else:
                    self.outcome.accounts += answer
                    self.outcome.repeated += not answer

    def _fold(self, user: UserRef) -> None:
        stored = load_logs(user=user)
        here = {fact.id for fact in stored.facts}
        # Under the position that its action has here; a fact whose action is not in the file lends nothing.
        lent = [
            msgspec.structs.replace(fact, log_position=self.positions[fact.log_position])
            for fact in self.facts.values()
            if fact.id not in here and fact.log_position in self.positions
        ]
        logs = replace(stored, facts=[*stored.facts, *lent])
        fold = fold_logs(user=user, logs=logs, zone=self.tenant.zone, steps=list_folding_steps())
        version = get_rule_set(tenant_id=self.tenant.id).version
        changed = compare_facts(logs=stored, fold=fold, rule_set_version=version)
        if changed:
            slots = list_slots(logs=stored, fold=fold, fact_ids={each.fact_id for each in changed})
            write_fold(user=user, logs=stored, fold=fold, slots=slots, now=self.now)
        for rebuild in rebuilders:
            rebuild(user)
        self.outcome.facts = len(fold.facts)
        wanted = replace(logs, facts=[fact for fact in logs.facts if fact.id in self.facts])
        named = {fact.id for fact in wanted.facts}
        differing = compare_facts(logs=wanted, fold=fold, rule_set_version=version)
        self.outcome.differing_facts = sum(each.fact_id in named for each in differing) if named else 0


def _make_action(line: ActionLine, *, position: int) -> PendingAction:
    return PendingAction(
        id=line.id,
        position=position,
        kind=line.action,
        said_at=line.said_at,
        message_id=line.message_id,
        batch_id=line.batch_id,
        rule_set_version=line.rule_set_version,
        detail=msgspec.to_builtins(line.detail),
        secret=msgspec.to_builtins(line.words) if line.words else None,
        logged_effects=[msgspec.to_builtins(effect) for effect in line.effects],
    )
