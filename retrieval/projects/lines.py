"""Parts of a project as lines of text, as a model reads them: the level of each statement is said in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory.projects.types import DecisionView, FactView, SourceView
from memory.projects.words import write_value
from retrieval.pack.sanitiser import sanitise

_HEADING: Final = re.compile(r"^\s*#{1,6}\s+")
"""What the parts of a rendering begin with."""

LEVEL_WORDS: Final = {
    "en": {
        "fact": "fact", "hypothesis": "hypothesis, not verified", "interpretation": "interpretation",
        "refuted": "refuted, was not so", "disputed": "contradicted", "proposed": "proposed", "accepted": "accepted",
        "implemented": "implemented", "verified": "verified", "rejected": "rejected", "superseded": "superseded",
        "since": "since", "owner": "owner", "source": "source",
    },
    "ru": {
        "fact": "факт", "hypothesis": "гипотеза, не проверена", "interpretation": "интерпретация",
        "refuted": "опровергнуто, это было не так", "disputed": "есть противоречие", "proposed": "предложено",
        "accepted": "принято", "implemented": "сделано", "verified": "проверено", "rejected": "отклонено",
        "superseded": "заменено", "since": "с", "owner": "отвечает", "source": "источник",
    },
    "ar": {
        "fact": "حقيقة", "hypothesis": "فرضية غير مؤكدة", "interpretation": "تفسير", "refuted": "تبين أنه غير صحيح",
        "disputed": "متعارض", "proposed": "مقترح", "accepted": "معتمد", "implemented": "منفذ", "verified": "تم التحقق",
        "rejected": "مرفوض", "superseded": "مستبدل", "since": "منذ", "owner": "المسؤول", "source": "المصدر",
    },
}  # fmt: skip


def tidy(text: str) -> str:
    """A line of words that people or records gave, without commands and without a line of its own to begin."""
    return sanitise(" ".join(text.split()))


def tidy_turn(speaker: str, text: str) -> str:
    """`Ann: what she said`; what she wrote on further lines is indented, so that none looks like another's or ours."""
    lines = [_HEADING.sub("", line) for line in sanitise(text).splitlines()]
    return f"{tidy(speaker)}: " + "\n  ".join(lines)


def get_words(language: str) -> dict[str, str]:
    """The words of a language, English where there are none."""
    return LEVEL_WORDS.get(language, LEVEL_WORDS["en"])


def write_fact(view: FactView, *, marks: Sequence[str] = (), language: str = "en") -> str:
    """`- subject: value (fact, since 2024-03-01) [S1]`."""
    words = get_words(language)
    notes = [words["refuted"] if view.status == "refuted" else words[view.level]]
    if view.contradicts:
        notes.append(words["disputed"])
    notes.append(f"{words['since']} {view.valid_from.date()}")
    return f"- {view.subject}: {write_value(view.value)} ({', '.join(notes)}){_write_marks(marks)}"


def write_decision(view: DecisionView, *, marks: Sequence[str] = (), language: str = "en") -> str:
    """`- title (accepted, since 2024-03-01; owner: Ann): description [S2]`."""
    words = get_words(language)
    notes = [words[view.state.state], f"{words['since']} {view.state.at.date()}"]
    if view.owner:
        notes.append(f"{words['owner']}: {view.owner}")
    description = f": {view.description}" if view.description else ""
    return f"- {view.title} ({', '.join(notes)}){description}{_write_marks(marks)}"


def write_event(at: str, state: str, title: str, *, language: str = "en") -> str:
    """`- 2024-03-01 superseded: title`, for a decision that came to a state at a time in ISO 8601."""
    return f"- {at[:10]} {get_words(language)[state]}: {title}"


def write_source(mark: str, source: SourceView) -> str:
    """`[S1] document handbook, Ann, 2024-03-01: "quotation"`."""
    parts = [f"{source.type} {source.ref}", *([source.author] if source.author else []), str(source.dated.date())]
    quote = f": “{source.quote}”" if source.quote else ""
    return f"[{mark}] {', '.join(parts)}{quote}"


def _write_marks(marks: Sequence[str]) -> str:
    return "".join(f" [{mark}]" for mark in marks)


HEADINGS: Final = {
    "en": {
        "mission": "Mission", "constraints": "Constraints", "decisions": "Decisions", "facts": "Facts and hypotheses",
        "open_questions": "Open questions", "timeline": "Latest changes", "ask": "Ask the user",
        "sources": "Sources", "passages": "Passages of conversations", "knowledge": "Knowledge",
    },
    "ru": {
        "mission": "Цель", "constraints": "Ограничения", "decisions": "Решения", "facts": "Факты и гипотезы",
        "open_questions": "Открытые вопросы", "timeline": "Последние изменения", "ask": "Спросить пользователя",
        "sources": "Источники", "passages": "Отрывки разговоров", "knowledge": "Знания",
    },
    "ar": {
        "mission": "المهمة", "constraints": "القيود", "decisions": "القرارات", "facts": "الحقائق والفرضيات",
        "open_questions": "أسئلة مفتوحة", "timeline": "آخر التغييرات", "ask": "اسأل المستخدم", "sources": "المصادر",
        "passages": "مقاطع من المحادثات", "knowledge": "المعارف",
    },
}  # fmt: skip


def get_headings(language: str) -> dict[str, str]:
    """The headings of a language, English where there are none."""
    return HEADINGS.get(language, HEADINGS["en"])
