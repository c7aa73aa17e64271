"""A portfolio without a database: its schema, its entities, and a resolver that knows their names by heart."""

from __future__ import annotations

import re
from dataclasses import dataclass

from retrieval.knowledge.entities.types import Match as NameMatch
from retrieval.knowledge.graph.paths import read_edge_kinds
from retrieval.knowledge.planning.deciding import Decision, Switches, decide
from retrieval.knowledge.planning.followups import FollowUp, Topic, find_follow_up
from retrieval.knowledge.planning.intents import read_intents
from retrieval.knowledge.planning.matching import CompiledPlan, compile_plan
from retrieval.knowledge.planning.reading import make_type_stems, read_question, take_entity, take_intent
from retrieval.knowledge.planning.wording import find_language, read_shipped_intents, read_type_words

TYPES = ["Person", "Company", "Project", "Achievement", "Technology", "Education"]
SCHEMA = {
    "types": TYPES,
    "edges": [
        {"kind": "WORKED_AT", "from": ["Person"], "to": ["Company"]},
        {"kind": "HAS_PROJECT", "from": ["Person", "Company"], "to": ["Project"]},
        {"kind": "HAS_ACHIEVEMENT", "from": ["Person", "Company", "Project"], "to": ["Achievement"]},
        {"kind": "USES_TECH", "from": ["Project"], "to": ["Technology"]},
        {"kind": "HAS_SKILL", "from": ["Person"], "to": ["Technology"]},
    ],
}
KINDS = read_edge_kinds(SCHEMA)


@dataclass(frozen=True)
class Named:
    """A hit of the resolver."""

    entity_id: int
    type: str
    key: str
    name: str
    start: int = 0
    end: int = 0
    match: NameMatch = NameMatch.EXACT
    is_strict: bool = True


ENTITIES = [
    Named(1, "Person", "dmitry", "Дмитрий"),
    Named(2, "Company", "epam", "EPAM Systems"),
    Named(3, "Company", "luxoft", "Luxoft"),
    Named(4, "Project", "alor-broker", "АЛОР Брокер"),
    Named(5, "Project", "ai-portfolio", "AI-Portfolio"),
    Named(6, "Project", "f3", "F3"),
    Named(7, "Technology", "rag", "RAG"),
    Named(8, "Technology", "python", "Python"),
    Named(9, "Project", "t2", "t2"),
    Named(10, "Project", "life-without-limits", "Life without Limits"),
]
NAMES = {
    1: ["Дмитри[йяю]", "Dmitry", "ديمتري"], 2: ["EPAM Systems", "EPAM"], 3: ["Luxoft", "Люксофт"],
    4: ["АЛОР Брокер", "АЛОР[еа]?", "ALOR"], 5: ["AI-Portfolio"], 6: ["F3"], 7: ["RAG"], 8: ["Python"], 9: ["t2"],
    10: ["Life without Limits"],
}  # fmt: skip


def resolve(text: str) -> list[Named]:
    """Every name in a text, the longest at each place."""
    hits: list[Named] = []
    for one in ENTITIES:
        for name in NAMES[one.entity_id]:
            for match in re.finditer(rf"(?<!\w){name}(?!\w)", text, re.IGNORECASE):
                if not any(hit.start < match.end() and match.start() < hit.end for hit in hits):
                    hits.append(Named(one.entity_id, one.type, one.key, one.name, match.start(), match.end()))
    return sorted(hits, key=lambda hit: hit.start)


def get_plan() -> CompiledPlan:
    """The plan that ships."""
    return compile_plan(read_intents(read_shipped_intents("portfolio"), KINDS))


def ask(text: str, *, topic: Topic | None = None, switches: Switches | None = None) -> tuple[Decision, FollowUp]:
    """What is decided about a question after a topic."""
    plan = get_plan()
    reading = read_question(
        text,
        hits=resolve(text),
        plan=plan,
        language=find_language(text),
        owner_ids=frozenset({1}),
        type_stems=make_type_stems(read_type_words("portfolio"), TYPES),
    )
    follow = find_follow_up(reading, topic, intents=plan.intents)
    if follow.entity:
        reading = take_entity(reading, follow.entity)
    elif follow.intent:
        reading = take_intent(reading, plan, follow.intent)
    return decide(reading, singles={"Person": ENTITIES[0]}, switches=switches or Switches()), follow
