"""What a reply gave away of its pack, and what it used of it (SPEC P-6). Pure: text in, codes and ids out.

The rules a pack gives to the model forbid quoting, ids, dates, scores and talk of a memory (KSP fix 13); here it is
looked at whether the reply kept to them. A finding is a code and an id, never a piece of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from uuid import UUID

from patterns.text.arabic import normalise_arabic
from patterns.text.data_files import read_groups, read_lines, read_words
from patterns.text.tokens import CONCEPT_PREFIX, tokenise
from retrieval.index.traits import Traits, find_traits

QUOTES_MEMORY, QUOTES_SNIPPET = "quotes_memory", "quotes_snippet"
PRINTS_ID, PRINTS_TAG, PRINTS_SCORE, PRINTS_DATE = "prints_id", "prints_tag", "prints_score", "prints_date"
SPEAKS_OF_MEMORY = "speaks_of_memory"
CODES = (QUOTES_MEMORY, QUOTES_SNIPPET, PRINTS_ID, PRINTS_TAG, PRINTS_SCORE, PRINTS_DATE, SPEAKS_OF_MEMORY)

MAX_CHARACTERS = 20_000  # a longer reply is looked at as far as this
QUOTED_WORDS = 6  # in a row: fewer are said by chance ("I would like to have a")
MARKED_WORDS = 3  # in a row between quotation marks: nobody puts those by chance
QUOTED_CJK = 12  # characters in a row where words are not set apart
USED_WORDS = 2  # content words of a card that a reply which used it repeats; one where the card has no more

_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_MARKED = re.compile(r"[\"“”„«»「『]([^\"“”„«»「」『』]{8,400})[\"“”»」』]")
_UUID = re.compile(r"\b[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b", re.IGNORECASE)
_TAG = re.compile(
    r"\b(?:user_memory|user_knowledge|pending_raw|raw_excerpt|span_context|epistemic_type|valid_since|receipt_id"
    r"|message_id|knowledge_key)\b|</?\s*(?:recalled|memory)\b[^>]{0,200}>|\b(?:source|provenance|confidence)\s*=\s*[\"']"
)


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """A message as the pack showed it outside the window: its words, its label, and the day it was said."""

    message_id: UUID
    text: str
    snippet: str = ""
    said_on: date | None = None
    is_card: bool = True


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact as the pack showed it, with the words that name its value in any language."""

    fact_id: UUID
    value: str
    names: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    """What the user said, as the pack showed it beside the value."""


@dataclass(frozen=True, slots=True)
class ShownPack:
    """What a reply was made from. `said` is what both sides see anyway: the question and the window."""

    receipt_id: UUID
    question: str
    said: Sequence[str] = ()
    messages: Sequence[ShownMessage] = ()
    facts: Sequence[ShownFact] = ()


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing a reply should not have said, and the message or fact it is about."""

    code: str
    message_id: UUID | None = None
    fact_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Ids of what a reply visibly used, and of the cards it did not. What is in neither could not be told."""

    used_messages: frozenset[UUID] = frozenset()
    unused_messages: frozenset[UUID] = frozenset()
    used_facts: frozenset[UUID] = frozenset()


def check_answer(reply: str, *, pack: ShownPack, replied_on: date) -> list[Finding]:
    """Everything the reply gave away, in order of codes; empty for a reply that kept to the rules (SPEC P-6)."""
    reply = reply[:MAX_CHARACTERS]
    said = [pack.question, *pack.said]
    found = {
        *find_quotes(reply, pack=pack),
        *find_ids(reply, pack=pack),
        *find_dates(reply, pack=pack, replied_on=replied_on),
    }
    patterns = {PRINTS_TAG: [_TAG], PRINTS_SCORE: _read_scores(), SPEAKS_OF_MEMORY: _read_about_memory()}
    folded, folded_said = fold(reply), fold("\n".join(said))
    for code, expressions in patterns.items():
        hits = {hit.group() for expression in expressions for hit in expression.finditer(folded)}
        if any(hit not in folded_said for hit in hits):
            found.add(Finding(code))
    return sorted(found, key=lambda one: (CODES.index(one.code), str(one.message_id), str(one.fact_id)))


def find_quotes(reply: str, *, pack: ShownPack) -> Iterator[Finding]:
    """Messages and labels that the reply repeats word for word, leaving out what the question or the window says."""
    common = list_runs("\n".join([pack.question, *pack.said]))
    own = list_runs(reply) - common
    marked = {" ".join(_list_words(hit)) for hit in _MARKED.findall(reply)}
    said = " ".join([word for text in (pack.question, *pack.said) for word in _list_words(text)])
    for message in pack.messages:
        if own & list_runs(message.text) or _has_marked(message.text, marked, said):
            yield Finding(QUOTES_MEMORY, message_id=message.message_id)
        elif message.snippet and (own & list_runs(message.snippet) or _has_marked(message.snippet, marked, said)):
            yield Finding(QUOTES_SNIPPET, message_id=message.message_id)
    for fact in pack.facts:
        texts = (fact.value, *fact.words)
        if any(own & list_runs(text) or _has_marked(text, marked, said) for text in texts):
            yield Finding(QUOTES_MEMORY, fact_id=fact.fact_id)


def find_ids(reply: str, *, pack: ShownPack) -> Iterator[Finding]:
    """Ids of ours that the reply prints; one that is nobody's in the pack is a finding all the same."""
    messages = {message.message_id for message in pack.messages}
    facts = {fact.fact_id for fact in pack.facts}
    known = set(_list_ids("\n".join([pack.question, *pack.said])))
    for printed in set(_list_ids(reply)) - known:
        yield Finding(
            PRINTS_ID,
            message_id=printed if printed in messages else None,
            fact_id=printed if printed in facts else None,
        )


def find_dates(reply: str, *, pack: ShownPack, replied_on: date) -> Iterator[Finding]:
    """Days on which memories were said that the reply prints, unless the user asked for a time, or the words of the
    memory, the question or the window name that day themselves."""
    if Traits.TIME in find_traits(pack.question) or _asks_when(pack.question):
        return
    folded, said = fold(reply), fold("\n".join([pack.question, *pack.said]))
    for message in pack.messages:
        if message.said_on is None or message.said_on == replied_on:
            continue
        for spelling in spell_date(message.said_on):
            if spelling not in folded:
                continue
            pattern = re.compile(rf"(?<!\d){re.escape(spelling)}(?!\d)")
            if pattern.search(folded) and not pattern.search(said) and not pattern.search(fold(message.text)):
                yield Finding(PRINTS_DATE, message_id=message.message_id)
                break


def measure_use(reply: str, *, pack: ShownPack, names: Iterable[str] = ()) -> Utilisation:
    """What of the pack the reply used: content words of a card that the question lacks, or the name of a fact's value.

    `names` are the canonical values that the reply names in any language. A fact that a reply does not name is not
    unused: a ban works by what is not offered.
    """
    reply = reply[:MAX_CHARACTERS]
    words, asked = list_content(reply), list_content(pack.question)
    named = {*names, *(fold(word) for word in _WORD.findall(reply))}
    spoken = f" {' '.join(_list_words(reply))} "
    used, unused = set(), set()
    for message in pack.messages:
        own = list_content(message.text) - asked
        repeated = len(own & words)
        if message.is_card and own and not repeated:
            unused.add(message.message_id)
        elif own and repeated >= min(USED_WORDS, len(own)):
            used.add(message.message_id)
    facts = {fact.fact_id for fact in pack.facts if fact.names & named or _is_spoken(fact.value, spoken)}
    return Utilisation(frozenset(used), frozenset(unused), frozenset(facts))


def list_runs(text: str) -> set[tuple[str, ...]]:
    """Every run of QUOTED_WORDS words, and of QUOTED_CJK characters where words are not set apart."""
    words = [word for word in _list_words(text) if not _CJK.search(word)]
    runs: set[tuple[str, ...]] = {
        tuple(words[start : start + QUOTED_WORDS]) for start in range(len(words) - QUOTED_WORDS + 1)
    }
    stretch = "".join(_CJK.findall(text))
    return runs | {(stretch[at : at + QUOTED_CJK],) for at in range(len(stretch) - QUOTED_CJK + 1)}


def list_content(text: str) -> set[str]:
    """The stems of a text's content words; no stop words, no bridging keys."""
    stems = (token.lexemes[0][0] for token in tokenise(text[:MAX_CHARACTERS]))
    return {stem for stem in stems if not stem.startswith((CONCEPT_PREFIX, "k:", "n:", "m:"))}


def spell_date(day: date) -> list[str]:
    """A day as replies write it: in digits, and with the month in English, Russian and Arabic."""
    english = f"{day:%B}".lower()
    russian, arabic = _read_months()[day.month]
    digits = [day.isoformat(), f"{day:%d.%m.%Y}", f"{day:%d/%m/%Y}", f"{day.day}.{day.month:02}.{day.year}"]
    months = (english, english[:3], russian, arabic)
    return [*digits, *(f"{day.day} {month}" for month in months), *(f"{month} {day.day}" for month in months[:2])]


def fold(text: str) -> str:
    """Lower case, ё as е, Arabic letters in their normal form, runs of spaces as one."""
    low = normalise_arabic(text.lower().replace("ё", "е").replace("’", "'"))
    return " ".join(low.replace("i've", "i ve").split())


def _list_words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def _has_marked(text: str, marked: set[str], said: str) -> bool:
    words = f" {' '.join(_list_words(text))} "
    return any(
        len(quote.split()) >= MARKED_WORDS and f" {quote} " in words and quote not in said for quote in marked if quote
    )


def _list_ids(text: str) -> Iterator[UUID]:
    return (UUID(hit) for hit in _UUID.findall(text))


def _is_spoken(value: str, spoken: str) -> bool:
    words = " ".join(_list_words(value.replace("_", " ")))
    return len(words) > 1 and f" {words} " in spoken


def _asks_when(question: str) -> bool:
    return not read_words("asks_when.txt").isdisjoint(_list_words(question))


@cache
def _read_scores() -> list[re.Pattern[str]]:
    """A word of certainty with its number, and a percentage with its word."""
    groups = {name: _write_choice(words) for name, words in read_groups("score_words.txt").items()}
    number = r"(?:[01]?[.,]\d+|\d{1,3} ?%)"
    gap = r"[^\w.,%]{0,4}"
    return [
        re.compile(rf"\b{groups['score']}\b{gap}{groups['is']}?{gap}{number}"),
        re.compile(rf"\b\d{{1,3}} ?% {groups['sure']}"),
    ]


def _write_choice(words: Iterable[str]) -> str:
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(re.escape(word).replace(r"\*", r"\w*") for word in longest_first) + ")"


@cache
def _read_about_memory() -> list[re.Pattern[str]]:
    return [re.compile(line) for line in read_lines("about_memory.txt")]


@cache
def _read_months() -> dict[int, tuple[str, str]]:
    rows = (line.split() for line in read_lines("month_names.txt"))
    return {number: (russian, arabic) for number, (russian, arabic) in enumerate(rows, start=1)}
