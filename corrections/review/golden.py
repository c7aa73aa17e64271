"""Golden cases: a correction retold by a reviewer, checked against the detector, exported as test data (C-2, D-27)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from corrections.evaluation.corpus import judge_cases, make_case
from corrections.models import GoldenCase
from corrections.review.case_rows import store_case
from corrections.review.wording import refuse_own_words
from corrections.selectors.log import get_correction
from corrections.services.log import set_golden_status
from memory.errors import InvalidRequest
from memory.selectors.messages import list_messages_by_id
from memory.tenants.scope import tenant_scope
from memory.types import CORRECTION_TYPES, KNOWLEDGE_TYPES, UserRef
from patterns.rules.ruleset import RuleSet

LANGUAGES: Final = ("ru", "en", "ar", "arabizi", "mixed")
OPERATIONS: Final = ("deactivate", "dispute", "confirm", "set")
SAID_AT: Final = "2026-03-02T12:00:00+04:00"
"""The moment from which the corpus counts its dates."""
MAX_TEXT: Final = 600
MAX_LINES: Final = 8

_FACT = re.compile(r"(?P<type>[a-z_]+)/(?P<key>[a-z0-9_]+)(?:\s*=\s*(?P<value>.+?))?(?P<disputed>\s+disputed)?$")


@dataclass(frozen=True, slots=True)
class GoldenDraft:
    """What a reviewer typed. `facts` and `operations` are lines: `allergy/wool = wool`, `deactivate allergy/wool`."""

    language: str
    turn: str
    reply: str
    facts: str
    operations: str
    correction_type: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class GoldenCheck:
    """What the detector makes of a case now: whether exactly what is expected, and what it did instead."""

    is_exact: bool
    outcomes: tuple[str, ...] = field(default=())


def write_golden_case(
    *, user: UserRef, correction_id: UUID, draft: GoldenDraft, author: str, now: datetime
) -> GoldenCase:
    """Store a case for a correction, in place of the one before, and mark the correction as accepted. Writes.

    Raises InvalidRequest where a line has no form or a text is still the user's own words, NotFound.
    """
    with tenant_scope(user.tenant_id):
        content = build_content(draft)
        _refuse_own_words(user, correction_id, draft)
        case = store_case(
            GoldenCase,
            tenant_id=user.tenant_id,
            subject={"correction_id": correction_id},
            language=draft.language,
            content=content,
            author=author,
            now=now,
        )
        set_golden_status(user=user, correction_id=correction_id, status="accepted")
    return case


def find_golden_case(*, tenant_id: UUID, correction_id: UUID) -> GoldenCase | None:
    """The case that was made of a correction."""
    return GoldenCase.objects.filter(tenant_id=tenant_id, correction_id=correction_id).first()


def export_golden_cases(*, tenant_id: UUID) -> Iterator[str]:
    """The tenant's cases as lines of `tests/data/corrections` (JSON Lines), oldest first."""
    with tenant_scope(tenant_id):
        rows = list(GoldenCase.objects.filter(tenant_id=tenant_id).order_by("written_at", "id"))
    for row in rows:
        yield json.dumps({"id": f"g-{row.id.hex[-12:]}", **row.content}, ensure_ascii=False)


def check_golden_case(content: Mapping[str, Any], *, rule_set: RuleSet) -> GoldenCheck:
    """Run the detector over a case."""
    verdict = judge_cases([make_case({"id": "checked", **content})], rule_set=rule_set)
    if not verdict.mistakes:
        return GoldenCheck(is_exact=True)
    _, outcomes = verdict.mistakes[0]
    return GoldenCheck(False, tuple(sorted(f"{kind} {type_}/{key}" for kind, type_, key, _ in outcomes)))


def build_content(draft: GoldenDraft) -> dict[str, Any]:
    """A draft as the content of a case. Raises InvalidRequest naming each field that has no form. Pure."""
    problems: dict[str, str] = {}
    if draft.language not in LANGUAGES:
        problems["language"] = f"must be one of {', '.join(LANGUAGES)}"
    for name, text in (("turn", draft.turn), ("reply", draft.reply)):
        if not text.strip() or len(text) > MAX_TEXT:
            problems[name] = f"must have 1 to {MAX_TEXT} characters"
    if draft.correction_type and draft.correction_type not in CORRECTION_TYPES:
        problems["correction_type"] = f"must be one of {', '.join(CORRECTION_TYPES)}"
    facts = read_lines(draft.facts, name="facts", read=_read_fact, problems=problems)
    operations = read_lines(draft.operations, name="operations", read=_read_operation, problems=problems)
    if problems:
        raise InvalidRequest("The case is not checked yet.", fields=problems)
    expect: dict[str, Any] = {"action": name_action(operations), "ops": operations}
    if draft.correction_type:
        expect["correction_type"] = draft.correction_type
    content = {
        "language": draft.language,
        "now": SAID_AT,
        "assistant": draft.turn.strip(),
        "user": draft.reply.strip(),
        "facts": facts,
        "expect": expect,
    }
    return content | ({"note": draft.note.strip()[:200]} if draft.note.strip() else {})


def read_lines(
    text: str, *, name: str, read: Callable[[str], dict[str, Any] | None], problems: dict[str, str]
) -> list[dict[str, Any]]:
    """The lines of a field as rows; a line that has no form, or one too many, is noted under the field's name. Pure."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    rows = [read(line) for line in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        problems[name] = f"has more than {MAX_LINES} lines"
    elif None in rows:
        problems[name] = f"line {rows.index(None) + 1} has no form"
    return [row for row in rows if row is not None]


def name_action(operations: list[dict[str, Any]]) -> str:
    """Operations in the corpus's one word. Pure."""
    kinds = {one["op"] for one in operations}
    if not kinds:
        return "none"
    if kinds == {"set"}:
        return "supersede"
    return "deactivate+add" if kinds == {"set", "deactivate"} else sorted(kinds)[0]


def _refuse_own_words(user: UserRef, correction_id: UUID, draft: GoldenDraft) -> None:
    row = get_correction(user=user, correction_id=correction_id)
    ids = {"turn": row.corrected_message_id, "reply": row.trigger_message_id}
    messages = list_messages_by_id(user=user, message_ids=[mid for mid in ids.values() if mid])
    # Either text against both: an assistant's reply repeats what its user said.
    texts = {name: getattr(draft, name) for name in ("turn", "reply", "facts", "operations", "note")}
    refuse_own_words(texts, said=[message.content for message in messages.values()])


def _read_fact(line: str) -> dict[str, Any] | None:
    found = _FACT.fullmatch(line)
    if found is None or found["type"] not in KNOWLEDGE_TYPES:
        return None
    row: dict[str, Any] = {
        "type": found["type"],
        "key": found["key"],
        "value": _read_value(found["value"], found["key"]),
    }
    return row | ({"disputed": True} if found["disputed"] else {})


def _read_operation(line: str) -> dict[str, Any] | None:
    kind, _, rest = line.partition(" ")
    found = _FACT.fullmatch(rest.strip())
    if kind not in OPERATIONS or found is None or found["type"] not in KNOWLEDGE_TYPES:
        return None
    row = {"op": kind, "type": found["type"], "key": found["key"]}
    return row | ({"value": _read_value(found["value"], found["key"])} if kind == "set" else {})


def _read_value(text: str | None, key: str) -> str | int:
    value = (text or key).strip()
    return int(value) if value.isascii() and value.isdecimal() else value
