"""Whether a question goes on with the last topic, and what it takes from it (SPEC N-5, D-47). Pure.

New topic unless pointed. A question takes an entity or an intent from the last one, never both, and never an item of
the last answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.knowledge.planning.reading import Hit, Reading
from retrieval.knowledge.planning.wording import Word, has_phrase, read_phrases, starts_with_phrase


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


def points_back(words: Sequence[Word]) -> bool:
    """Whether the words alone say that a question goes on with something: it begins so, or points at something."""
    if starts_with_phrase(words, read_phrases("connectives")):
        return True
    return has_phrase(words, read_phrases("pointing")) and not has_phrase(words, read_phrases("not_pointing"))


def find_follow_up(reading: Reading, topic: Topic | None) -> FollowUp:
    """What a question takes from the last topic; NEW_TOPIC where it stands alone or there is any doubt."""
    if topic is None:
        return NEW_TOPIC
    if reading.spans:
        return _keep_intent(reading, topic)
    if topic.entity is None or reading.owners or not points_back(reading.words) or reading.list_names():
        return NEW_TOPIC
    if reading.matches and not any(match.intent.may_start_at(topic.entity.type) for match in reading.matches):
        return NEW_TOPIC
    return FollowUp(is_follow_up=True, entity=topic.entity)


def _keep_intent(reading: Reading, topic: Topic) -> FollowUp:
    """An entity and no intent of its own: the last intent is asked of it, where the question says nothing else."""
    if not topic.intent or reading.matches or reading.shape or len(reading.spans) != 1:
        return NEW_TOPIC
    is_bare = not reading.list_residue([hit.name for hit in reading.spans[0].hits])
    return FollowUp(is_follow_up=True, intent=topic.intent) if is_bare else NEW_TOPIC
