"""A judged item as a test case: one message retold by a reviewer, with the facts that it states or none (X-4, D-27).

The same content leaves in two forms: a line of `tests/data/instant`, which check_patterns reads, and a case of
`tests/data/golden/extraction.yaml`, which run_golden puts to a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import yaml

from corrections.models import MessageCase, ReviewItem
from corrections.review.case_rows import store_case
from corrections.review.golden import LANGUAGES, MAX_TEXT, SAID_AT, GoldenCheck, read_lines
from corrections.review.wording import refuse_own_words
from memory.errors import InvalidRequest, NotFound
from memory.selectors.messages import list_messages_by_id
from memory.tenants.scope import tenant_scope
from memory.types import UserRef
from patterns.rules.accuracy import measure_accuracy
from patterns.rules.ruleset import RuleSet

TYPES: Final = ("body_params", "budget", "allergy", "hard_ban", "life_event", "brand_preference")
DEFAULT_DAYS: Final = 30
"""Until an event without a date is over (SPEC F-5)."""

_FACT: Final = re.compile(
    r"(?P<type>[a-z_]+)/(?P<key>[a-z0-9_]+)(?:\s*=\s*(?P<value>.+?))?(?:\s+in\s+(?P<days>\d{1,4})\s+days?)?"
)


@dataclass(frozen=True, slots=True)
class MessageDraft:
    """What a reviewer typed. `facts` are lines: `allergy/wool = wool`, `life_event/move = move in 14 days`; or none."""

    language: str
    text: str
    facts: str
    note: str = ""


def write_message_case(*, user: UserRef, item_id: UUID, draft: MessageDraft, author: str, now: datetime) -> MessageCase:
    """Store a case for an item, in place of the one before. Writes.

    Raises InvalidRequest where a line has no form or the text is still the user's own words, NotFound.
    """
    with tenant_scope(user.tenant_id):
        content = build_message_case(draft)
        _refuse_own_words(user, item_id, draft)
        return store_case(
            MessageCase,
            tenant_id=user.tenant_id,
            subject={"item_id": item_id},
            language=draft.language,
            content=content,
            author=author,
            now=now,
        )


def find_message_case(*, tenant_id: UUID, item_id: UUID) -> MessageCase | None:
    """The case that was made of an item."""
    return MessageCase.objects.filter(tenant_id=tenant_id, item_id=item_id).first()


def export_message_cases(*, tenant_id: UUID) -> Iterator[str]:
    """The tenant's cases as lines of `tests/data/instant` (JSON Lines), oldest first."""
    for row in _list_cases(tenant_id):
        if not any(fact["type"] == "brand_preference" for fact in row.content["expect"]):
            yield json.dumps({"id": _name(row), **row.content}, ensure_ascii=False)


def export_extraction_cases(*, tenant_id: UUID) -> str:
    """The same cases as `tests/data/golden/extraction.yaml` holds them; "" when there is none."""
    cases = [
        {
            "name": _name(row),
            "promise": row.content.get("note") or "As a reviewer judged it",
            "messages": [{"user": row.content["text"]}],
            "expect": [f"ADD {fact['type']}/{fact['key']}={fact['value']}" for fact in row.content["expect"]],
        }
        for row in _list_cases(tenant_id)
    ]
    return str(yaml.safe_dump(cases, allow_unicode=True, sort_keys=False, width=110)) if cases else ""


def check_message_case(content: Mapping[str, Any], *, rule_set: RuleSet) -> GoldenCheck:
    """What the rules of today make of a case."""
    accuracy = measure_accuracy(rule_set, [{"id": "checked", **content}])
    said_at = datetime.fromisoformat(content["now"])
    read = rule_set.read(content["text"], said_at=said_at).readings
    outcomes = tuple(f"{one.knowledge_type}/{one.knowledge_key} = {one.value}" for one in read)
    return GoldenCheck(is_exact=not accuracy.mistakes, outcomes=outcomes)


def build_message_case(draft: MessageDraft) -> dict[str, Any]:
    """A draft as the content of a case. Raises InvalidRequest naming each field that has no form. Pure."""
    problems: dict[str, str] = {}
    if draft.language not in LANGUAGES:
        problems["language"] = f"must be one of {', '.join(LANGUAGES)}"
    if not draft.text.strip() or len(draft.text) > MAX_TEXT:
        problems["text"] = f"must have 1 to {MAX_TEXT} characters"
    facts = read_lines(draft.facts, name="facts", read=_read_fact, problems=problems)
    if problems:
        raise InvalidRequest("The case is not checked yet.", fields=problems)
    content = {"language": draft.language, "now": SAID_AT, "text": draft.text.strip(), "expect": facts}
    return content | ({"note": draft.note.strip()[:200]} if draft.note.strip() else {})


def write_facts(content: Mapping[str, Any]) -> str:
    """The facts of a stored case as the lines that were typed."""
    return "\n".join(
        f"{fact['type']}/{fact['key']} = {fact['value']}"
        + (f" in {fact['expires_days']} days" if "expires_days" in fact else "")
        for fact in content["expect"]
    )


def _read_fact(line: str) -> dict[str, Any] | None:
    found = _FACT.fullmatch(line)
    if found is None or found["type"] not in TYPES:
        return None
    value = (found["value"] or found["key"]).strip()
    is_number = value.isascii() and value.isdecimal() and found["type"] == "budget"
    fact: dict[str, Any] = {"type": found["type"], "key": found["key"], "value": int(value) if is_number else value}
    if found["type"] == "life_event":
        return fact | {"expires_days": int(found["days"] or DEFAULT_DAYS)}
    return None if found["days"] else fact


def _refuse_own_words(user: UserRef, item_id: UUID, draft: MessageDraft) -> None:
    item = ReviewItem.objects.filter(user_id=user.id, id=item_id).first()
    if item is None:
        raise NotFound("This item does not exist.", fields={"item_id": "unknown"})
    said = list_messages_by_id(user=user, message_ids=item.evidence_message_ids)
    texts = {"text": draft.text, "facts": draft.facts, "note": draft.note}
    refuse_own_words(texts, said=[message.content for message in said.values()])


def _list_cases(tenant_id: UUID) -> list[MessageCase]:
    with tenant_scope(tenant_id):
        return list(MessageCase.objects.filter(tenant_id=tenant_id).order_by("written_at", "id"))


def _name(row: MessageCase) -> str:
    return f"g-{row.id.hex[-12:]}"
