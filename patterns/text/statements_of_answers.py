"""An assistant's answer as sentences: what each states, which marks of sources it has, whether it asks. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from patterns.text.data_files import read_lines, read_words
from patterns.text.decisions import has_decision_cue, list_sentences

_MARK: Final = re.compile(r"\[([^\[\]\s]{1,128})\]")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ANY: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[:—–=]")
_MIN_WORDS: Final = 3
_MAX_SUBJECT_WORDS: Final = 8
_SHORT_SUBJECT: Final = 5


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence without its marks."""

    text: str
    marks: tuple[str, ...]
    subject: str
    value: str
    is_question: bool = False
    is_decision: bool = False


def list_answer_sentences(answer: str) -> list[AnswerSentence]:
    """The sentences that state or ask something about the matter; what is said about the talk itself is left out."""
    found = []
    for _, _, sentence in list_sentences(_move_marks(answer)):
        marks = tuple(_MARK.findall(sentence))
        text = " ".join(_MARK.sub(" ", sentence).split()).rstrip(" .!")
        words = _WORD.findall(text.lower())
        if len(words) < _MIN_WORDS or words[0] in read_words("own_words.txt"):
            continue
        if text.endswith(("?", "؟")):
            if not _is_offer(text):
                found.append(AnswerSentence(text, marks, "", "", is_question=True))
            continue
        subject, value = split_statement(text)
        found.append(AnswerSentence(text, marks, subject, value, is_decision=has_decision_cue(text)))
    return found


def split_statement(text: str) -> tuple[str, str]:
    """What a statement is about, and what it says of it; without a clear border the beginning, and all of it."""
    words = list(_ANY.finditer(text))
    for number, word in enumerate(words[1 : _MAX_SUBJECT_WORDS + 1], start=1):
        if word[0].lower() in read_words("copulas.txt") and number < len(words) - 1:
            return text[: word.start()].strip(" ,"), text[word.end() :].strip()
    first = words[:_SHORT_SUBJECT]
    return text[: first[-1].end()] if first else text, text


def _move_marks(answer: str) -> str:
    """Marks behind a full stop belong to the sentence before it."""
    return re.sub(r"([.!])((?:\s*\[[^\[\]\s]{1,128}\])+)", r"\2\1", answer)


def _is_offer(text: str) -> bool:
    low = text.lower()
    return any(cue in low for cue in read_lines("offer_cues.txt"))
