"""Golden cases: a model reads a conversation; what it proposes, and what the gate lets through (SPEC X-6). No database.

The card has two columns because they say different things: `model` is how good the model is alone, `service` how good
the service is with it. Only the second one matters to users.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

import yaml

from memory.extraction.judging.context import GateContext
from memory.extraction.judging.gate import judge
from memory.extraction.judging.independence import number_sessions
from memory.extraction.judging.values import make_wanted
from memory.extraction.model.answers import AnswerUnreadable, read_answer
from memory.extraction.model.openai_client import ModelClient, ModelFailed
from memory.extraction.model.prompt import PROMPT_VERSION, build_prompt, make_material
from memory.extraction.types import Decision, Material, Operation
from memory.types import Fact, RecordedMessage
from patterns.rules.ruleset import RuleSet

ZONE: Final = ZoneInfo("Asia/Dubai")
NOW: Final = datetime(2026, 3, 2, 12, tzinfo=ZONE)
SESSION_GAP: Final = timedelta(minutes=30)
_NAMESPACE: Final = UUID(int=2026)


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation with what must come out of it."""

    name: str
    promise: str
    material: Material
    expect: frozenset[str]
    allow: frozenset[str] = frozenset()
    wrong: Operation | None = None


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What a model made of a case. `failure` is the code of an answer that was none."""

    case: Case
    proposed: frozenset[str] = frozenset()
    let_through: frozenset[str] = frozenset()
    results: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""

    def count_wrong(self, came_out: frozenset[str]) -> int:
        """Operations that must not come out."""
        return len(came_out - self.case.expect - self.case.allow)

    @property
    def is_right(self) -> bool:
        """All that was expected came through the gate and nothing else."""
        return not self.failure and self.case.expect <= self.let_through and not self.count_wrong(self.let_through)

    @property
    def was_proposed_right(self) -> bool:
        """The same of the model alone."""
        return not self.failure and self.case.expect <= self.proposed and not self.count_wrong(self.proposed)


def load_cases(path: Path) -> list[Case]:
    """The cases of a YAML file; its form is described at its top."""
    return [_make_case(raw) for raw in yaml.safe_load(path.read_text(encoding="utf-8"))]


def run_case(case: Case, *, client: ModelClient, rules: RuleSet) -> CaseResult:
    """Ask the model about one case and put its answer through the gate. Writes nothing."""
    try:
        completion = client.complete(build_prompt(case.material, now=NOW, zone=ZONE))
        answer = read_answer(completion.text)
    except (ModelFailed, AnswerUnreadable) as failure:
        return CaseResult(case, failure=failure.code)
    decisions = judge(answer.operations, make_context(case, rules))
    results: dict[str, int] = {}
    for decision in decisions:
        results[decision.result] = results.get(decision.result, 0) + 1
    return CaseResult(
        case,
        proposed=frozenset(_name_proposal(operation, case, rules) for operation in answer.operations),
        let_through=frozenset(_name_decision(d, case) for d in decisions if d.is_accepted),
        results=results,
    )


def make_context(case: Case, rules: RuleSet) -> GateContext:
    """What the gate looks at in a case."""
    messages = list(case.material.messages.values())
    return GateContext(
        material=case.material,
        rules=rules,
        zone=ZONE,
        now=NOW,
        session_gap=SESSION_GAP,
        event_days=30,
        rule_name=f"extraction.{PROMPT_VERSION}",
        rule_version=1,
        sessions=number_sessions([(m.id, m.created_at) for m in messages], gap=SESSION_GAP),
    )


def render_card(results: Sequence[CaseResult]) -> str:
    """The score card as text: a line a case, then the sums."""
    width = max((len(result.case.name) for result in results), default=4)
    lines = [f"{'case':<{width}}  model  service  what became of it"]
    for result in results:
        model, service = ("ok" if flag else "WRONG" for flag in (result.was_proposed_right, result.is_right))
        ended = result.failure or ", ".join(f"{code} {n}" for code, n in sorted(result.results.items())) or "nothing"
        lines.append(f"{result.case.name:<{width}}  {model:<5}  {service:<7}  {ended}")
    right, proposed = (sum(r.is_right for r in results), sum(r.was_proposed_right for r in results))
    false_facts = sum(result.count_wrong(result.let_through) for result in results)
    lines.append(
        f"{len(results)} cases: the model alone is right in {proposed}, the service in {right}; "
        f"false facts: {false_facts}; no answer: {sum(bool(r.failure) for r in results)}"
    )
    return "\n".join(lines)


def _name_proposal(operation: Operation, case: Case, rules: RuleSet) -> str:
    fact = case.material.facts.get(operation.knowledge_id or "")
    if operation.operation in ("REMOVE", "CONFIRM") and fact is not None:
        return f"{operation.operation} {fact.knowledge_type}/{fact.knowledge_key}={fact.value}"
    wanted = make_wanted(operation, rules=rules)
    if isinstance(wanted, str):
        return f"{operation.operation} {operation.knowledge_type}/{wanted}"
    return f"{operation.operation} {wanted.knowledge_type}/{wanted.knowledge_key}={wanted.value}"


def _name_decision(decision: Decision, case: Case) -> str:
    statement = decision.statement
    operation = decision.operation.operation
    if statement is not None:
        return f"{operation} {statement.knowledge_type}/{statement.knowledge_key}={statement.value}"
    fact = next(fact for fact in case.material.facts.values() if fact.id == decision.fact_id)
    return f"{operation} {fact.knowledge_type}/{fact.knowledge_key}={fact.value}"


def _make_case(raw: Mapping[str, Any]) -> Case:
    name = str(raw["name"])
    messages = _make_messages(name, raw["messages"])
    facts = [_make_fact(name, number, text) for number, text in enumerate(raw.get("facts", ()))]
    return Case(
        name=name,
        promise=str(raw["promise"]),
        material=make_material(messages=messages, facts=facts),
        expect=frozenset(raw["expect"]),
        allow=frozenset(raw.get("allow", ())),
        wrong=_make_operation(raw["wrong"]) if "wrong" in raw else None,
    )


def _make_messages(name: str, raw: Sequence[Mapping[str, Any]]) -> list[RecordedMessage]:
    owner = uuid5(_NAMESPACE, name)
    said_at = NOW - timedelta(hours=1)
    messages = []
    for number, entry in enumerate(raw, start=1):
        role, text = (entry["role"], entry["text"]) if "role" in entry else next(iter(entry.items()))
        said_at = datetime.fromisoformat(entry["at"]) if "at" in entry else said_at + timedelta(minutes=1)
        message = RecordedMessage(
            id=uuid5(owner, f"message {number}"),
            user_id=owner,
            tenant_id=owner,
            conversation_id=uuid5(owner, "conversation"),
            seq=number,
            role=str(role),
            content=str(text),
            created_at=said_at,
            received_at=said_at,
        )
        messages.append(message)
    return messages


def _make_fact(name: str, number: int, text: str) -> Fact:
    slot, _, value = text.partition("=")
    knowledge_type, _, key = slot.partition("/")
    said_at = NOW - timedelta(days=10)
    return Fact(
        id=uuid5(uuid5(_NAMESPACE, name), f"fact {number}"),
        knowledge_type=knowledge_type,
        knowledge_key=key,
        value=int(value) if value.isdigit() else value,
        confidence=0.95,
        extracted_from="instant_pattern",
        provenance="confirmed_by_user",
        valid_at=said_at,
        last_validated_at=said_at,
        log_position=number + 1,
    )


def _make_operation(raw: Mapping[str, Any]) -> Operation:
    return Operation(
        operation=raw["operation"],
        knowledge_type=raw["knowledge_type"],
        knowledge_key=raw.get("knowledge_key"),
        value=raw.get("value"),
        knowledge_id=raw.get("knowledge_id"),
        evidence_message_ids=tuple(raw["evidence_message_ids"]),
        subject=raw.get("subject", "user"),
        confidence=raw.get("confidence", 0.99),
    )
