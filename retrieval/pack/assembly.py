"""Choosing what goes into the pack under its budget. Pure: the same input gives the same pack (SPEC P-2, P-7, S-6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, tzinfo
from functools import lru_cache, partial
from typing import Any
from uuid import UUID

from memory.extraction.types import Unproven
from memory.types import Fact, RecordedMessage
from patterns.text.excerpts import make_short_excerpt
from retrieval.pack.budget import (
    BROAD_SHARES,
    LAYER_SHARES,
    BudgetPolicy,
    allot,
    allot_with_layers,
    bound_by_window,
    find_density_cap,
    is_overdrawn,
)
from retrieval.pack.rendering import (
    BLOCK_SEPARATOR,
    SUMMARY_CLOSES,
    SUMMARY_OPENS,
    Places,
    list_places,
    render_blocks,
    render_card,
    render_entities,
    render_fact,
    render_line,
    render_messages,
    render_passage,
    render_pending,
    render_recent,
    render_unproven,
)
from retrieval.pack.sanitiser import list_outcomes, sanitise
from retrieval.pack.summaries import Layers, Line, SummaryBlock, choose_lines, make_blocks
from retrieval.pack.token_counters import ESTIMATE, TokenCounter
from retrieval.pack.token_estimate import MESSAGE_OVERHEAD
from retrieval.reasons import CHOSEN, OVER_BUDGET, OVER_CAP
from retrieval.types import Directive, EpisodeCard, FactWords, KnowledgePassage, SlotUse

WORDS_SHARE = 0.5  # of the slot of facts; more of their words are shortened, never left out


@lru_cache(maxsize=256)
def count_once(counter: TokenCounter, text: str) -> int:
    """Tokens of a text that comes again and is no user's."""
    return counter.count(text)


@dataclass(frozen=True, slots=True)
class Ingredients:
    """Everything that may go into a pack, best cards first, messages oldest first."""

    question: str
    directives: Sequence[Directive]
    facts: Sequence[Fact]
    cards: Sequence[EpisodeCard]
    window: Sequence[RecordedMessage]
    pending: Sequence[RecordedMessage]
    message_count: int
    intent: str = ""
    max_tokens: int | None = None
    context_window: int | None = None
    """Tokens of the model of the reply, what it answers included; None where they are not known."""
    reply_share: float = 0.25
    unverified: Sequence[Unproven] = ()
    """May harm, so they are never cut."""
    adaptive: Sequence[Unproven] = ()
    """Guesses, the surest first: they take what cards leave."""
    knowledge: Sequence[KnowledgePassage] = ()
    """Passages of corpora, best first. They give way before all else."""
    counter: TokenCounter = ESTIMATE
    zone: tzinfo = UTC
    """Where the days that a model reads are counted."""
    layers: Layers | None = None
    """What episodes give; None where they take no part: then the pack is as it was without them (D-44)."""
    words: FactWords = field(default_factory=dict)
    """The user's own words behind each fact; `assemble` shows as much of them as there is room for."""
    cleaned: dict[str, str] = field(default_factory=dict)
    """Texts that were sanitised for their cost, to be rendered as they are."""
    written: dict[int, str] = field(default_factory=dict)
    """Blocks that were rendered for their cost."""
    outcomes: dict[UUID, set[str]] = field(default_factory=dict)
    """What the sanitiser took out, by the id of the fact, card or message; codes of `list_outcomes`."""

    def clean(self, text: str) -> str:
        """The text, sanitised once for the pack."""
        found = self.cleaned.get(text)
        if found is None:
            found = self.cleaned[text] = sanitise(text)
        return found

    def write(self, render: Callable[..., str], item: Any) -> str:
        """The block of a fact, card or message, made once for the pack: for its cost, then to be sent."""
        found = self.written.get(id(item))
        if found is None:
            if isinstance(item, KnowledgePassage):
                clean: Callable[[str], str] = self.clean
            else:
                clean = partial(self.clean_part, item.message_id if isinstance(item, EpisodeCard) else item.id)
            days = {"zone": self.zone} if isinstance(item, (Fact, Unproven, EpisodeCard)) else {}
            found = self.written[id(item)] = render(item, clean=clean, **days)
        return found

    def clean_part(self, item_id: UUID, text: str) -> str:
        """As `clean`, noting what was taken out of an item."""
        cleaned = self.clean(text)
        if cleaned != text:
            self.outcomes.setdefault(item_id, set()).update(list_outcomes(text))
        return cleaned

    def count(self, text: str) -> int:
        """Tokens of a block, with what joins it to the next."""
        return self.counter.count(text) + count_once(self.counter, BLOCK_SEPARATOR)

    def count_directive(self, directive: Directive) -> int:
        """As `count`; the text is one of a few of ours."""
        return count_once(self.counter, directive.text) + count_once(self.counter, BLOCK_SEPARATOR)

    def count_message(self, message: RecordedMessage) -> int:
        """Tokens of a message of the window, as it is rendered."""
        said = render_recent(message, clean=partial(self.clean_part, message.id))
        return self.counter.count(said) + MESSAGE_OVERHEAD


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What had no room, beside cards: these have a reason each."""

    lines: Sequence[UUID] = ()
    knowledge: Sequence[KnowledgePassage] = ()
    entities: Sequence[Mapping[str, Any]] = ()


@dataclass(slots=True)
class Assembly:
    """What went in, why the rest did not, and what each slot took."""

    cards: list[EpisodeCard]
    window: list[RecordedMessage]
    pending: list[RecordedMessage]
    budget: dict[str, SlotUse]
    rendered: list[dict[str, str]]
    words: FactWords = field(default_factory=dict)
    reasons: dict[UUID, str] = field(default_factory=dict)
    degraded_reasons: list[str] = field(default_factory=list)
    adaptive: list[Unproven] = field(default_factory=list)
    knowledge: list[KnowledgePassage] = field(default_factory=list)
    blocks: list[SummaryBlock] = field(default_factory=list)
    entities: list[Mapping[str, Any]] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)
    places: Places = field(default_factory=Places)
    """The place of each part in the rendering; what was left out has none."""


def assemble(ingredients: Ingredients, *, policy: BudgetPolicy) -> Assembly:
    """Fill the slots.

    Rules, facts and the question go in whole; cards, window and pending messages as far as they fit.
    """
    policy, max_tokens = bound_by_window(
        policy,
        max_tokens=ingredients.max_tokens,
        context_window=ingredients.context_window,
        reply_share=ingredients.reply_share,
    )
    in_window = {message.id for message in ingredients.window}
    candidates, reasons = choose_cards(ingredients.cards, in_window=in_window, message_count=ingredients.message_count)
    costs = {card.message_id: ingredients.count(ingredients.write(render_card, card)) for card in candidates}
    window_costs = [ingredients.count_message(message) for message in ingredients.window]
    pending_costs = [ingredients.count(ingredients.write(render_pending, message)) for message in ingredients.pending]
    words = fit_words(ingredients, tokens=int(policy.slots["facts"].maximum * WORDS_SHARE))
    fixed = measure_fixed(ingredients, words=words)
    guesses = [ingredients.count(ingredients.write(render_unproven, one)) for one in ingredients.adaptive]
    passages = [ingredients.count(ingredients.write(render_passage, one)) for one in ingredients.knowledge]
    cards_wish = sum(cost for message_id, cost in costs.items() if message_id not in in_window)
    wishes = {"personal": cards_wish + sum(guesses), "window": sum(window_costs), "pending_raw": sum(pending_costs)}
    wishes["knowledge"] = sum(passages)
    layers = ingredients.layers
    entities = render_entities(layers.entities, clean=ingredients.clean) if layers else []
    wishes["entities"] = sum(map(ingredients.count, entities))
    wishes["summaries"] = policy.slots["summaries"].maximum if layers else 0
    shares = {"shares": BROAD_SHARES if layers.is_broad else LAYER_SHARES} if layers else {}
    allotted = (allot_with_layers if layers else allot)(
        policy,
        **shares,
        needs=fixed | wishes,
        max_tokens=max_tokens,
        intent=ingredients.intent,
        message_count=ingredients.message_count,
    )
    window = take_latest(ingredients.window, window_costs, tokens=allotted["window"])
    # Cards in the window are not rendered again; those that fell out of it cost tokens like any other.
    costs |= {message.id: 0 for message in window}
    cards = take_cards(candidates, costs=costs, tokens=allotted["personal"], reasons=reasons)
    taken = sum(costs[card.message_id] for card in cards)
    adaptive = take_adaptive(ingredients.adaptive, guesses, tokens=allotted["personal"] - taken)
    pending = take_latest(ingredients.pending, pending_costs, tokens=allotted["pending_raw"])
    knowledge = take_passages(ingredients.knowledge, passages, tokens=allotted["knowledge"])
    blocks, lines_left_out = choose_blocks(ingredients, cards, window, tokens=allotted["summaries"])
    summaries = render_blocks(blocks, clean=ingredients.clean_part, zone=ingredients.zone)
    named = list(layers.entities) if layers else []
    if wishes["entities"] > allotted["entities"]:
        entities = []
    used = fixed | {
        "knowledge": sum(cost for one, cost in zip(ingredients.knowledge, passages, strict=True) if one in knowledge),
        "personal": taken + sum(guesses[: len(adaptive)]),
        "window": sum(window_costs[len(window_costs) - len(window) :]),
        "pending_raw": sum(pending_costs[len(pending_costs) - len(pending) :]),
        "summaries": sum(map(ingredients.count, summaries)),
        "entities": wishes["entities"] if entities else 0,
    }
    rendered = render(
        ingredients,
        summaries=[*entities, *summaries],
        words=words,
        adaptive=adaptive,
        cards=cards,
        window=window,
        pending=pending,
        knowledge=knowledge,
    )
    budget_use = describe_use(allotted, used)
    assembly = Assembly(
        cards, window, pending, budget_use, rendered, words, reasons, adaptive=adaptive, knowledge=knowledge
    )
    assembly.blocks, assembly.entities = blocks, named if entities else []
    assembly.left_out = LeftOut(
        lines=lines_left_out,
        knowledge=[one for one in ingredients.knowledge if one not in knowledge],
        entities=[] if entities else named,
    )
    assembly.places = list_places(
        facts=ingredients.facts,
        unproven=[*ingredients.unverified, *adaptive],
        cards=cards,
        pending=pending,
        window=window,
        entity_count=len(assembly.entities),
        line_count=sum(len(block.lines) for block in blocks),
        passage_count=len(knowledge),
    )
    if is_overdrawn(allotted, policy=policy, max_tokens=max_tokens):
        assembly.degraded_reasons.append("budget_overdrawn")
    return assembly


def fit_words(ingredients: Ingredients, *, tokens: int) -> FactWords:
    """The words of facts, as far as they fit: all of them, else those of the latest message, else these shortened.

    Words give way to words only: no fact is left out for them, and none goes without (SPEC T-3, D-20).
    """
    latest = {fact_id: excerpts[-1:] for fact_id, excerpts in ingredients.words.items()}
    for words in (ingredients.words, latest):
        texts = [excerpt.text for excerpts in words.values() for excerpt in excerpts]
        if ingredients.counter.count("\n".join(texts)) <= tokens:
            return words
    return {
        fact_id: tuple(replace(excerpt, text=make_short_excerpt(excerpt.text)) for excerpt in excerpts)
        for fact_id, excerpts in latest.items()
    }


def measure_fixed(ingredients: Ingredients, *, words: FactWords) -> dict[str, int]:
    """Tokens of what is never cut: rules, facts and what may harm though nobody has checked it, the question."""
    return {
        "system": sum(ingredients.count_directive(directive) for directive in ingredients.directives)
        + MESSAGE_OVERHEAD,
        "facts": sum(
            ingredients.count(ingredients.write(partial(render_fact, excerpts=words.get(fact.id, ())), fact))
            for fact in ingredients.facts
        )
        + sum(ingredients.count(ingredients.write(render_unproven, one)) for one in ingredients.unverified),
        "input": ingredients.counter.count(ingredients.question) + MESSAGE_OVERHEAD,
    }


def render(
    ingredients: Ingredients,
    *,
    words: FactWords,
    adaptive: Sequence[Unproven],
    cards: Sequence[EpisodeCard],
    window: Sequence[RecordedMessage],
    pending: Sequence[RecordedMessage],
    knowledge: Sequence[KnowledgePassage],
    summaries: Sequence[str],
) -> list[dict[str, str]]:
    """The chat messages of what was taken."""
    return render_messages(
        directives=ingredients.directives,
        facts=ingredients.facts,
        unproven=[*ingredients.unverified, *adaptive],
        cards=cards,
        pending=pending,
        window=window,
        knowledge=knowledge,
        question=ingredients.question,
        words=words,
        clean=ingredients.clean,
        write=ingredients.write,
        summaries=summaries,
    )


def choose_blocks(
    ingredients: Ingredients, cards: Sequence[EpisodeCard], window: Sequence[RecordedMessage], *, tokens: int
) -> tuple[list[SummaryBlock], list[UUID]]:
    """Lines for what cards and window do not show, by episode; messages that had no room."""
    layers = ingredients.layers
    if layers is None:
        return [], []
    shown = {message.id: message.content for message in window}
    shown |= {card.message_id: card.raw_excerpt for card in cards}
    head = ingredients.count(SUMMARY_OPENS + SUMMARY_CLOSES)
    day = ingredients.counter.count("2026-01-01") + 1

    def count(line: Line, is_first: bool) -> int:
        own = ingredients.counter.count(render_line(line, clean=ingredients.clean_part)) + 1
        return own + day * is_first

    choice = choose_lines(layers, shown=shown, tokens=tokens - head, count=count)
    return make_blocks(choice.lines, layers, question=ingredients.question), choice.left_out


def choose_cards(
    cards: Sequence[EpisodeCard], *, in_window: set[UUID], message_count: int
) -> tuple[list[EpisodeCard], dict[UUID, str]]:
    """At most as many cards as the user's history allows.

    Hits that the window shows anyway take only places left over.
    """
    cap = find_density_cap(message_count).max_cards
    fresh = [card for card in cards if card.message_id not in in_window][:cap]
    shown = [card for card in cards if card.message_id in in_window][: cap - len(fresh)]
    kept = {card.message_id for card in (*fresh, *shown)}
    chosen = [card for card in cards if card.message_id in kept]
    reasons = {card.message_id: CHOSEN if card.message_id in kept else OVER_CAP for card in cards}
    return chosen, reasons


def take_cards(
    cards: Sequence[EpisodeCard], *, costs: Mapping[UUID, int], tokens: int, reasons: dict[UUID, str]
) -> list[EpisodeCard]:
    """Cards in order as long as they fit; one that does not is passed over for a smaller one.

    Notes why in `reasons`.
    """
    taken: list[EpisodeCard] = []
    left = tokens
    for card in cards:
        if costs[card.message_id] > left:
            reasons[card.message_id] = OVER_BUDGET
            continue
        left -= costs[card.message_id]
        taken.append(card)
    return taken


def take_adaptive(items: Sequence[Unproven], costs: Sequence[int], *, tokens: int) -> list[Unproven]:
    """Items in order as long as they fit into what cards have left."""
    taken: list[Unproven] = []
    for one, cost in zip(items, costs, strict=True):
        tokens -= cost
        if tokens < 0:
            break
        taken.append(one)
    return taken


def take_passages(passages: Sequence[KnowledgePassage], costs: Sequence[int], *, tokens: int) -> list[KnowledgePassage]:
    """Passages in order as long as they fit; one that does not is passed over for a smaller one."""
    taken: list[KnowledgePassage] = []
    for one, cost in zip(passages, costs, strict=True):
        if cost <= tokens:
            tokens -= cost
            taken.append(one)
    return taken


def take_latest(messages: Sequence[RecordedMessage], costs: Sequence[int], *, tokens: int) -> list[RecordedMessage]:
    """The latest messages that fit together, oldest first."""
    taken: list[RecordedMessage] = []
    left = tokens
    for message, cost in zip(reversed(messages), reversed(costs), strict=True):
        if cost > left:
            break
        left -= cost
        taken.append(message)
    return taken[::-1]


def describe_use(allotted: Mapping[str, int], used: Mapping[str, int]) -> dict[str, SlotUse]:
    """Each slot with what it was given and what it took."""
    return {name: SlotUse(allotted=allotted[name], used=used.get(name, 0)) for name in allotted}
