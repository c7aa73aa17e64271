"""An episode in a model's words, through a check that no sentence states what no message says (D-42). Pure.

The check is by words: each content word, name and number of a sentence stands in the messages that it names, and what
they deny it denies. A sentence that fails is dropped; where too little is left, the messages' own sentences stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct, structs

from memory.episodes import recipe
from memory.episodes.contents import Contents, Quote, cut_words
from memory.episodes.types import SaidMessage
from patterns.text.cues import find_cues, split_spoken
from patterns.text.data_files import read_words
from patterns.text.sentences import split_sentences
from patterns.text.tokens import tokenise

LEAST_SENTENCES: Final = 2
MESSAGE_CHARACTERS: Final = 1_500  # of each message that the model reads
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_JSON = re.compile(r"\{.*\}", re.DOTALL)


class ProposedSentence(Struct, frozen=True):
    """A sentence of a model, with the numbers of the messages that it is from, counted from 1."""

    text: str
    messages: list[int]


class Proposal(Struct, frozen=True):
    """What a model answers."""

    headline: str = ""
    summary: list[ProposedSentence] = []
    key_points: list[ProposedSentence] = []


def write_prompt(messages: Sequence[SaidMessage]) -> list[dict[str, str]]:
    """The chat messages of a request: rules, then the numbered messages."""
    said = [
        f"[{number}] {message.role}: {message.content[:MESSAGE_CHARACTERS]}"
        for number, message in enumerate(messages, start=1)
    ]
    return [{"role": "system", "content": _read_rules()}, {"role": "user", "content": "\n".join(said)}]


@cache
def _read_rules() -> str:
    return (Path(__file__).resolve().parent / "wording.txt").read_text(encoding="utf-8")


def read_proposal(answer: str) -> Proposal | None:
    """The JSON object of an answer; None for one that has none of that form."""
    found = _JSON.search(answer)
    try:
        return msgspec.json.decode(found[0].encode("utf-8", "replace"), type=Proposal) if found else None
    except msgspec.DecodeError:
        return None


def apply_proposal(contents: Contents, proposal: Proposal, messages: Sequence[SaidMessage]) -> Contents | None:
    """The contents with the model's sentences that pass; None where too few do. The rest stays verbatim."""
    summary = _check_all(proposal.summary, messages)[: recipe.LONGEST_SUMMARY]
    if len(summary) < min(LEAST_SENTENCES, len(contents.summary)):
        return None
    everything = ProposedSentence(proposal.headline, list(range(1, len(messages) + 1)))
    headline = next(iter(_check_all([everything], messages)), contents.headline)
    return structs.replace(
        contents,
        headline=Quote(cut_words(headline.text, limit=recipe.HEADLINE_CHARACTERS), headline.place, headline.words),
        summary=summary,
        points=_check_all(proposal.key_points, messages)[: recipe.MOST_POINTS],
    )


def _check_all(sentences: Sequence[ProposedSentence], messages: Sequence[SaidMessage]) -> list[Quote]:
    checked = [check_sentence(sentence, messages) for sentence in sentences]
    return [quote for quote in checked if quote is not None]


def check_sentence(sentence: ProposedSentence, messages: Sequence[SaidMessage]) -> Quote | None:
    """The sentence with the place of the message that is nearest to it; None where it states what none of them says."""
    text = " ".join(sentence.text.split())
    numbers = [number for number in dict.fromkeys(sentence.messages) if 1 <= number <= len(messages)]
    words = _list_stems(text)
    if not numbers or len(numbers) != len(sentence.messages) or not words or len(text) > recipe.LONGEST_SENTENCE:
        return None
    cited = [messages[number - 1].content for number in numbers]
    said = frozenset().union(*map(_list_stems, cited))
    figures = {figure for content in cited for figure in _NUMBER.findall(content)}
    if words - said - _list_reporting() or not set(_NUMBER.findall(text)) <= figures:
        return None
    near, place = _find_nearest(words, {number - 1: messages[number - 1].content for number in numbers})
    if _denies(text) != _denies(near):
        return None
    return Quote(text, place, len(words))


def _find_nearest(words: frozenset[str], contents: Mapping[int, str]) -> tuple[str, int]:
    """The sentence that shares most with the words, and the place of its message."""
    sentences = [
        (len(words & _list_stems(content[start:end])), -place, content[start:end])
        for place, content in contents.items()
        for start, end in split_sentences(content, longest=recipe.LONGEST_SENTENCE)
    ]
    if not sentences:
        return "", min(contents)
    _, place, text = max(sentences)
    return text, -place


def _denies(text: str) -> bool:
    """Whether an odd number of words deny: two of them say yes again."""
    return len(find_cues(split_spoken(text)).get("negation", ())) % 2 == 1


def _list_stems(text: str) -> frozenset[str]:
    return frozenset(token.lexemes[0][0] for token in tokenise(text))


@cache
def _list_reporting() -> frozenset[str]:
    words: Any = read_words("reporting_words.txt")
    return frozenset(token.lexemes[0][0] for word in words for token in tokenise(word))
