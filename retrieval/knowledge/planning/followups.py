"""Whether a question goes on with the last topic, and what it takes from it (SPEC N-5, D-47). Pure.

New topic unless pointed. A question takes an entity or an intent from the last one, never both, and never an item of
the last answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from retrieval.knowledge.planning.deciding import Decision
from retrieval.knowledge.planning.intents import Intent
from retrieval.knowledge.planning.reading import Hit, Reading
from retrieval.knowledge.planning.wording import has_phrase, read_phrases, starts_with_phrase

# How many words of its own a question that goes on may have, beyond entities, intents and words that say nothing.
# 1.6 % of the first turns of new topics in SuperDialseg pass; any pointing word let 28.5 % pass
# (bench/knowledge_followups.py).
MAX_AFTER_CONNECTIVE: Final = 1
MAX_BESIDE_POINTER: Final = 3
MAX_BESIDE_LOOSE_POINTER: Final = 1


@dataclass(frozen=True, slots=True)
class Topic:
    """What the last question was about."""

    intent: str = ""
    entity: Hit | None = None


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What a question takes from the last topic."""

    is_follow_up: bool = False
    entity: Hit | None = None
    """The entity of the last topic, where the question has none of its own."""
    intent: str = ""
    """The intent of the last topic, where the question names an entity alone."""


NEW_TOPIC = FollowUp()


def points_back(reading: Reading) -> bool:
    """Whether the words say that a question goes on: it begins so or points at something, and has little of its own.

    What is long may point at itself: "I lost my card, can I replace it?" is a new topic.
    """
    words, own = reading.words, reading.list_residue()
    begun = starts_with_phrase(words, read_phrases("connectives"))
    if begun and len([place for place in own if place >= begun]) <= MAX_AFTER_CONNECTIVE:
        return True
    if has_phrase(words, read_phrases("not_pointing")):
        return False
    for kind, most in (("pointing", MAX_BESIDE_POINTER), ("pointing_loosely", MAX_BESIDE_LOOSE_POINTER)):
        pointers = {phrase[0] for phrase in read_phrases(kind)}
        besides = [place for place in own if words[place].low not in pointers]
        if len(besides) <= most and any(word.low in pointers for word in words):
            return True
    return False


def find_follow_up(reading: Reading, topic: Topic | None, *, intents: Sequence[Intent]) -> FollowUp:
    """What a question takes from the last topic; NEW_TOPIC where it stands alone or there is any doubt.

    `intents` are the rows of the plan.
    """
    if topic is None:
        return NEW_TOPIC
    if reading.spans:
        return _keep_intent(reading, topic, intents)
    if topic.entity is None or reading.owners or not points_back(reading) or reading.list_names():
        return NEW_TOPIC
    if reading.matches and not any(match.intent.may_start_at(topic.entity.type) for match in reading.matches):
        return NEW_TOPIC
    return FollowUp(is_follow_up=True, entity=topic.entity)


def find_topic(decision: Decision, reading: Reading, follow_up: FollowUp) -> Topic:
    """What a question leaves behind for the next one: its intent, and the one entity that it was about."""
    if decision.starts:
        is_owner = any(intent.only_type for intent in decision.alternatives)
        return Topic(decision.intent, None if is_owner else decision.starts[0])
    if follow_up.entity is not None:
        return Topic(decision.intent, follow_up.entity)
    span = reading.spans[0] if len(reading.spans) == 1 else None
    return Topic(decision.intent, span.hits[0] if span and span.is_strict else None)


def _keep_intent(reading: Reading, topic: Topic, intents: Sequence[Intent]) -> FollowUp:
    """An entity and no intent of its own: the last intent is asked of it, where the question says nothing else."""
    if not topic.intent or reading.matches or reading.shape or len(reading.spans) != 1:
        return NEW_TOPIC
    hits = reading.spans[0].hits
    fits = any(intent.name == topic.intent and intent.may_start_at(hit.type) for intent in intents for hit in hits)
    is_bare = not reading.list_residue([hit.name for hit in hits])
    return FollowUp(is_follow_up=True, intent=topic.intent) if fits and is_bare else NEW_TOPIC
