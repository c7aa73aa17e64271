"""From a reading to a plan: intent, start, policy and tool (SPEC N-3, D-45, D-46). Pure.

One certain entity: strict. Several, or an unsure one: boost. None: none. A list is given only when nothing in the
question is left unexplained that could narrow it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from retrieval.knowledge.planning.intents import Intent
from retrieval.knowledge.planning.matching import Match
from retrieval.knowledge.planning.reading import Hit, Reading, Span, is_as_written

GENERAL: Final = "GENERAL"
Policy = Literal["strict", "boost", "none"]
Tool = Literal["graph", "text"]


@dataclass(frozen=True, slots=True)
class Switches:
    """What a tenant and a corpus have on."""

    graph: bool = True
    router: bool = True
    conversation_memory: bool = True


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done about a question.

    `alternatives` are the intents to walk, all of one name, from `starts`. A graph intent without a start names
    something unknown: nothing is found. `steps` say how it came about, for the trace.
    """

    intent: str = GENERAL
    tool: Tool = "text"
    policy: Policy = "none"
    alternatives: tuple[Intent, ...] = ()
    starts: tuple[Hit, ...] = ()
    entities: tuple[Hit, ...] = ()
    types: tuple[str, ...] = ()
    is_unknown: bool = False
    steps: tuple[str, ...] = field(default=())

    def note(self, *steps: str) -> Decision:
        """The same with more steps named."""
        return replace(self, steps=(*self.steps, *steps))


@dataclass(frozen=True, slots=True)
class _Fit:
    match: Match
    start: Hit

    @property
    def rank(self) -> tuple[bool, int, int]:
        return self.match.intent.is_graph, self.match.strength, -self.match.order


def decide(reading: Reading, *, singles: Mapping[str, Hit], switches: Switches) -> Decision:
    """What to do about a question. `singles` holds the only entity of each type that has just one."""
    entities = _list_entities(reading)
    if not switches.router:
        return Decision(entities=entities, steps=("router_off",))
    if reading.shape and not reading.is_excluding:
        decision = _decide_shape(reading, entities)
    else:
        decision = _decide_phrases(reading, entities, singles, reading.matches)
    if decision.tool == "graph" and not switches.graph:
        return replace(decision, tool="text", is_unknown=False).note("graph_off")
    return decision


def find_policy(spans: Sequence[Span]) -> Policy:
    """Strict for one certain entity, boost for several or an unsure one, none without any."""
    if not spans:
        return "none"
    return "strict" if len(spans) == 1 and spans[0].is_strict else "boost"


def _decide_shape(reading: Reading, entities: tuple[Hit, ...]) -> Decision:
    """The whole question is a known shape: the name in it is looked up among the types that the intent starts at."""
    assert reading.shape
    shape = reading.shape
    spans = [span for span in (*reading.spans, *reading.owners) if span.start >= shape.start and span.end <= shape.end]
    covers = [span for span in spans if _covers(reading, span, shape.start, shape.end)]
    for intent in shape.intents:
        fitting = [hit for span in covers for hit in span.hits if intent.may_start_at(hit.type)]
        sure = [hit for hit in fitting if hit.is_strict] or [hit for hit in fitting if is_as_written(hit)]
        if len(sure) == 1:
            tool: Tool = "graph" if intent.is_graph else "text"
            return Decision(
                intent.name, tool, "strict", (intent,), (sure[0],), (sure[0],), intent.types, steps=("shape",)
            )
    intent = shape.intents[0]
    if spans:
        return Decision(intent.name, "text", "boost", entities=entities, steps=("shape", "unsure_entity"))
    return Decision(
        intent.name, "graph" if intent.is_graph else "text", is_unknown=True, steps=("shape", "unknown_name")
    )


def _covers(reading: Reading, span: Span, start: int, end: int) -> bool:
    """Whether a span takes in every word of the place."""
    words = [word for word in reading.words if word.start >= start and word.end <= end]
    return bool(words) and span.start <= words[0].start and span.end >= words[-1].end


def _decide_phrases(
    reading: Reading, entities: tuple[Hit, ...], singles: Mapping[str, Hit], matches: Sequence[Match]
) -> Decision:
    policy = find_policy(reading.spans)
    matches = [match for match in matches if not (match.intent.is_graph and reading.is_excluding)]
    fits = [fit for match in matches for fit in _fit(match, reading, singles)]
    if fits:
        best = max(fits, key=lambda fit: fit.rank)
        chosen = best.match.intent
        same = tuple(
            fit.match.intent for fit in fits if fit.match.intent.name == chosen.name and fit.start == best.start
        )
        tool: Tool = "graph" if chosen.is_graph else "text"
        kept = tuple(intent for intent in same if intent.is_graph is chosen.is_graph)
        return Decision(
            chosen.name, tool, "strict", kept, (best.start,), entities or (best.start,), chosen.types, steps=("intent",)
        )
    named = max(matches, key=lambda match: (match.intent.is_graph, match.strength, -match.order), default=None)
    if named is None:
        return Decision(policy=policy, entities=entities, steps=("no_intent",))
    if reading.spans or _is_narrowed(named, reading):
        # An entity that no path starts at, several, or words that narrow the list: text search, which claims no list.
        return Decision(named.intent.name, policy=policy, entities=entities, types=(), steps=("intent", "unsure"))
    if not named.intent.is_graph:
        return Decision(named.intent.name, policy=policy, entities=entities, steps=("intent", "no_entity"))
    return Decision(
        named.intent.name, "graph", "none", entities=entities, is_unknown=True, steps=("intent", "unknown_name")
    )


def _fit(match: Match, reading: Reading, singles: Mapping[str, Hit]) -> list[_Fit]:
    """The entity that the intent may start at with certainty; nothing where there is none or the question says more."""
    intent = match.intent
    if intent.only_type is not None:
        owner = next((span.hits[0] for span in reading.owners if span.hits[0].type == intent.only_type), None)
        start = owner or singles.get(intent.only_type)
        is_sure = not reading.spans and not (reading.list_residue() if intent.is_graph else reading.list_names())
        return [_Fit(match, start)] if start and is_sure else []
    spans = reading.spans or reading.owners
    if len(spans) != 1:
        return []
    hits = [hit for hit in spans[0].hits if intent.may_start_at(hit.type)]
    sure = [hit for hit in hits if hit.is_strict]
    if not sure and not spans[0].is_strict:
        # The same name for things of several types: the intent tells which is meant.
        sure = [hit for hit in hits if is_as_written(hit)]
    if len(sure) != 1 or (intent.is_graph and reading.list_names([sure[0].name])):
        return []
    return [_Fit(match, sure[0])]


def _is_narrowed(match: Match, reading: Reading) -> bool:
    """Whether an intent that starts at the only one of a type was kept back by words that narrow its list."""
    return match.intent.only_type is not None and bool(reading.list_residue()) and not reading.list_names()


def _list_entities(reading: Reading) -> tuple[Hit, ...]:
    return tuple(
        hit for span in sorted((*reading.spans, *reading.owners), key=lambda span: span.start) for hit in span.hits
    )
