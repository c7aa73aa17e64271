"""The rules a pack gives to the model: versioned files in the language of the user (KSP fixes 10, 13, P-1, P-10)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from retrieval.types import Directive

DIRECTIVES_VERSION = "v2"
DIRECTIVE_LANGUAGES = ("en", "ru", "ar")
ALWAYS = ("memory_usage", "arbitration", "memory_guide", "naturalness")
BRIEF = ("brief",)
APOLOGY, FACTS_UNKNOWN = "apology", "facts_unknown"
UNVERIFIED, TENTATIVE, KNOWLEDGE = "unverified", "tentative", "knowledge"
_FOLDER = Path(__file__).resolve().parents[1] / "templates" / "directives"


def list_directives(
    *,
    language: str,
    has_recent_correction: bool,
    has_facts: bool = True,
    has_unverified: bool = False,
    has_tentative: bool = False,
    has_knowledge: bool = False,
    is_brief: bool = False,
) -> tuple[Directive, ...]:
    """The rules in a language; after a fresh correction the apology comes first (SPEC P-10).

    Without facts the first rule says that sizes, allergies and bans are unknown (D-38). Those about unverified
    candidates (D-25), tentative items (X-7) and passages of corpora come along only where the pack has some. Unknown
    languages get English. `is_brief`: the standing rules in a quarter of the tokens, for a pack that they would fill.
    """
    chosen = language if language in DIRECTIVE_LANGUAGES else "en"
    names = (
        *(() if has_facts else (FACTS_UNKNOWN,)),
        *((APOLOGY,) if has_recent_correction else ()),
        *(BRIEF if is_brief else ALWAYS),
        *((UNVERIFIED,) if has_unverified else ()),
        *((TENTATIVE,) if has_tentative else ()),
        *((KNOWLEDGE,) if has_knowledge else ()),
    )
    return tuple(Directive(name, chosen, DIRECTIVES_VERSION, _read(chosen, name)) for name in names)


def choose_language(*, question_language: str, recent_languages: Iterable[str]) -> str:
    """The language of the rules: that of the question; Arabizi and mixed writers get that of their last plain message.

    An Arabizi writer with no message in Arabic letters gets Arabic when nothing else is known of them, else English.
    """
    if question_language in DIRECTIVE_LANGUAGES:
        return question_language
    other = "ar" if question_language == "arabizi" else "en"
    return next((language for language in recent_languages if language in DIRECTIVE_LANGUAGES), other)


@cache
def list_every_text() -> tuple[tuple[str, str], ...]:
    """Every rule of this version by its file, for whoever asks whether rules have changed."""
    files = sorted((_FOLDER / DIRECTIVES_VERSION).glob("*/*.txt"))
    return tuple((f"{file.parent.name}/{file.name}", file.read_text(encoding="utf-8")) for file in files)


@cache
def _read(language: str, name: str) -> str:
    return (_FOLDER / DIRECTIVES_VERSION / language / f"{name}.txt").read_text(encoding="utf-8").strip()
