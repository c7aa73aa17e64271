"""What a model is told before it words an answer: the facts, and of a follow-up the questions before it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from retrieval.knowledge.answers.rendering import BULLET, DATA
from retrieval.knowledge.answers.turns import SUMMARY_AFTER, SUMMARY_CHARACTERS, Memory
from retrieval.knowledge.answers.types import AskQuery, Draft
from retrieval.pack.sanitiser import sanitise

MAX_FACTS: Final = 12_000  # characters


def build_messages(
    query: AskQuery, draft: Draft, memory: Memory, *, settings: Mapping[str, Any]
) -> list[dict[str, str]]:
    """Chat messages: rules, the questions of the same topic where it is a follow-up, the facts, the question."""
    found = draft.found
    if found.result is not None:
        facts = "\n".join(f"{BULLET}{item.text}" for item in found.result.items)
    else:
        facts = f"{found.hits[0].title}\n{found.hits[0].text}"
    earlier = summarise_questions(memory, settings=settings)
    parts = [f"Facts:\n{sanitise(facts[:MAX_FACTS])}", *([f"Earlier questions:\n{earlier}"] if earlier else [])]
    content = "\n\n".join([*parts, f"Question: {query.text}"])
    return [{"role": "system", "content": _read_rules()}, {"role": "user", "content": content}]


def summarise_questions(memory: Memory, *, settings: Mapping[str, Any]) -> str:
    """The questions of the topic word for word (D-42): from so many on only the newest that fit the length."""
    after = settings.get("summary_after_turns")
    most = settings.get("summary_characters")
    questions = list(memory.questions)
    if len(questions) < (after if isinstance(after, int) else SUMMARY_AFTER):
        return "\n".join(questions)
    left = most if isinstance(most, int) else SUMMARY_CHARACTERS
    kept: list[str] = []
    for question in reversed(questions):
        if len(question) > left:
            break
        kept.append(question)
        left -= len(question) + 1
    return "\n".join(reversed(kept))


@cache
def _read_rules() -> str:
    return (DATA / "prompt.txt").read_text(encoding="utf-8").strip()
