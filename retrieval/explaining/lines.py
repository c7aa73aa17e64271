"""One query through all stages, as lines a person can follow. Shows ids, scores and codes; text only when asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from retrieval.index.traits import Traits
from retrieval.models import RetrievalReceipt
from retrieval.pack.budget import find_density_cap
from retrieval.parts import PackParts

SHOWN_CANDIDATES = 20
PART_NAMES = {
    "session": "+ session",
    "speaker": "x who said it",
    "standing": "x rule or taste",
    "applies": "+ applies to the answer",
    "asks": "x only asks",
    "addresses": "x about the one spoken to",
    "substance": "x substance",
    "names": "x names",
    "tells_when": "x tells when",
    "answers": "+ answers the question before",
    "period": "x of the time named",
    "in_period": "+ of the time named",
    "rewritten": "x under another wording",
    "recency": "x age",
    "usefulness": "x usefulness",
}


def explain_parts(parts: PackParts, *, has_text: bool = False) -> Iterator[str]:
    """The stages of a pack in their order. With `has_text` the excerpts are shown too."""
    yield from explain_question(parts)
    yield from explain_candidates(parts)
    yield from explain_cards(parts, has_text=has_text)
    yield from explain_budget({name: (use.allotted, use.used) for name, use in parts.assembly.budget.items()})
    yield from explain_order(parts)


def explain_question(parts: PackParts) -> Iterator[str]:
    """How the question was read, and what was missing."""
    found = parts.found
    traits = [trait.name.lower() for trait in Traits if trait in found.question.traits and trait.name]
    yield "1. question"
    yield f"   language {found.question.language}; asks for: {', '.join(traits) or 'nothing in particular'}"
    spans = (f"{period.start:%Y-%m-%d %H:%M} to {period.end:%Y-%m-%d %H:%M}" for period in found.periods)
    yield f"   times named: {', '.join(spans) or 'none'}"
    terms = (f"{term.lexeme} x {term.weight:g}" for term in found.question.terms)
    yield f"   words: {', '.join(terms) or 'none, stop words alone'}"
    yield f"   vector: {found.vector.model_name if found.vector else 'none'}; stores: {', '.join(found.stores)}"
    yield f"   other wordings: {len(found.wordings)}"
    reasons = [*parts.background.degraded_reasons, *found.degraded_reasons, *parts.assembly.degraded_reasons]
    yield f"   degraded: {', '.join(reasons) or 'no'}"


def explain_candidates(parts: PackParts) -> Iterator[str]:
    """The best candidates: raw features, then the parts of the score in the order in which they act."""
    ranked = parts.ranked
    shown, total = len(parts.found.ranked), parts.found.message_count
    yield f"2. candidates: {shown} of {total} messages, the best {SHOWN_CANDIDATES}"
    yield f"   age and usefulness move a score by a tenth at most; snapshot: {parts.ranking_state.version or 'none'}"
    for place, hit in enumerate(ranked[:SHOWN_CANDIDATES], start=1):
        candidate = hit.candidate
        near = "-" if candidate.smoothed is None else f"{candidate.smoothed:.3f}"
        raw = f"words {candidate.lexical:.3f} in {candidate.len}, dot {near}"
        yield f"   {place:3d}. {candidate.message_id} {hit.score:.4f}  {explain_score(hit.parts)}  ({raw})"


def explain_score(score: Mapping[str, float]) -> str:
    """The parts of one score: both kinds scaled to the best one, what they came to, and the boosts."""
    return "; ".join(f"{PART_NAMES.get(name, name)} {value:.3f}" for name, value in score.items() if name != "score")


def explain_cards(parts: PackParts, *, has_text: bool) -> Iterator[str]:
    """Which cards went in or not and why, their spans, and what the guard kept back."""
    cap = find_density_cap(parts.found.message_count)
    yield f"3. cards: at most {cap.max_cards} and {cap.max_share:.0%} of the tokens"
    for card in parts.cards.cards:
        yield f"   {card.message_id} {card.score:.4f} {parts.assembly.reasons[card.message_id]}"
        if has_text:
            yield f"       {card.raw_excerpt!r}"
        for message in card.span_context:
            similarity = "none" if message.similarity is None else f"{message.similarity:.3f}"
            core = "core, exempt from the guard" if message.is_core else f"similarity {similarity}"
            yield f"       + {message.message_id} {message.role} ({core})"
    kept_back = parts.cards.kept_back
    yield f"4. privacy guard kept back {len(kept_back)} neighbours"
    for one in kept_back:
        near = "no vector" if one.similarity is None else f"similarity {one.similarity:.3f}"
        yield f"   {one.message_id} {one.role} beside {one.card_id} {one.code} ({near})"


def explain_budget(budget: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """Each slot with what it was given and what it took."""
    yield "5. budget in tokens: given, taken"
    for name, (allotted, used) in budget.items():
        if allotted or used:
            yield f"   {name:12} {allotted:6d} {used:6d}"


def explain_order(parts: PackParts) -> Iterator[str]:
    """What was sent, in order."""
    assembly, background = parts.assembly, parts.background
    yield "6. sent: rules, facts, cards with the best first and the second best last, summaries, window, question"
    yield f"   rules: {', '.join(directive.name for directive in parts.ingredients.directives)}"
    yield f"   facts: {', '.join(f'{fact.knowledge_type} {fact.id}' for fact in background.facts) or 'none'}"
    unproven = [*parts.ingredients.unverified, *assembly.adaptive]
    yield f"   unproven: {', '.join(f'{one.source} {one.knowledge_type} {one.id}' for one in unproven) or 'none'}"
    yield f"   cards: {', '.join(str(card.message_id) for card in assembly.cards) or 'none'}"
    yield f"   summaries: {', '.join(str(block.episode_id or 'open session') for block in assembly.blocks) or 'none'}"
    yield f"   window: {len(assembly.window)} of {len(background.window)} messages; pending: {len(assembly.pending)}"


def explain_part(one: Mapping[str, Any], key: str) -> str:
    """A part of a receipt: its id, why it was in or not, and its place."""
    place = f", place {one['context_position']}" if one["context_position"] else ""
    return f"{one[key]} {one['decision_reason'] or ''}".strip() + place


def explain_receipt(receipt: RetrievalReceipt) -> Iterator[str]:
    """What a receipt recorded."""
    as_of = f", as of {receipt.as_of.isoformat()}" if receipt.as_of else ""
    yield f"receipt {receipt.id}: {receipt.kind} at {receipt.created_at.isoformat()}{as_of}"
    yield f"   policy {receipt.policy_version}; language {receipt.language}; intent {receipt.intent or '-'}"
    yield f"   max_tokens {receipt.max_tokens or '-'}; mood {receipt.mood or '-'}; model {receipt.reply_model or '-'}"
    yield f"   context window {receipt.context_window or 'not known'}"
    yield f"   tokens by {receipt.tokenizer or '-'}; ranking snapshot {receipt.ranking_version or 'none'}"
    yield f"   stores: {', '.join(receipt.stores)}; degraded: {', '.join(receipt.degraded_reasons) or 'no'}"
    rows = zip(receipt.chosen_ids, receipt.chosen_scores, receipt.decision_reasons, strict=True)
    yield f"   {len(receipt.candidate_ids)} candidates recorded; considered for the pack:"
    places = receipt.context_positions or [None] * len(receipt.chosen_ids)
    for number, ((message_id, score, reason), place) in enumerate(zip(rows, places, strict=True), start=1):
        yield f"   {number:3d}. {message_id} {score:.4f} {reason}" + (f", place {place} in the pack" if place else "")
    yield f"   guard: {', '.join(receipt.guardrail_hits) or 'kept nothing back'}"
    facts = (f"{one['fact_id']} {one['decision_reason'] or ''}".strip() for one in receipt.list_facts())
    yield f"   facts: {', '.join(facts) or 'none'}"
    for name, parts, key in (
        ("summaries", receipt.list_lines(), "message_id"),
        ("entities", receipt.list_entities(), "message_id"),
        ("knowledge", receipt.list_chunks(), "chunk_id"),
    ):
        yield f"   {name}: {', '.join(explain_part(part, key) for part in parts) or 'none'}"
    yield f"   sanitised: {', '.join(f'{one} {outcome}' for one, outcome in receipt.outcomes.items()) or 'nothing'}"
    yield f"   unproven: {', '.join(map(str, receipt.unproven_ids)) or 'none'}"
    yield from explain_budget({name: (use["allotted"], use["used"]) for name, use in receipt.budget.items()})
