"""From what was found to the words of a template. Pure but for what `Found` already holds (SPEC N-6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from retrieval.knowledge.answers.extracting import Extract, extract_answer, list_wanted
from retrieval.knowledge.answers.rendering import LIST_MAX_ITEMS, Style, render_items, say_nothing
from retrieval.knowledge.answers.types import Draft
from retrieval.knowledge.search.types import Found

MIN_CONFIDENCE: Final = 0.5  # share of the asked words that an answer must say before it is given
LOOKED_AT: Final = 5  # hits whose texts are tried for an answer


def draft_answer(found: Found, *, settings: Mapping[str, Any], style: Style = "auto") -> Draft:
    """The answer by the template: items as a list, sentences of the best text, or that there is nothing."""
    language, tone = found.reading.language, str(settings.get("tone") or "")
    if found.result is not None:
        texts = [item.text for item in found.result.items]
        limit = settings.get("list_max_items")
        text = render_items(
            texts,
            total=max(found.result.total, len(texts)),
            language=language,
            tone=tone,
            style=style,
            limit=limit if isinstance(limit, int) and limit > 0 else LIST_MAX_ITEMS,
        )
        return Draft(found, text, found.result.found, found.result.confidence, language)
    threshold = settings.get("min_confidence_for_answer")
    least = float(threshold) if isinstance(threshold, int | float) else MIN_CONFIDENCE
    place, best = _find_best(found)
    if best is None or not best.text or best.coverage < least:
        return Draft(found, say_nothing(language=language, tone=tone), False, best.coverage if best else 0.0, language)
    answering = found.hits[place]
    found = replace(found, hits=(answering, *(hit for hit in found.hits if hit is not answering)))
    return Draft(found, best.text, True, round(best.coverage, 3), language)


def _find_best(found: Found) -> tuple[int, Extract | None]:
    """The text of the first hits that says most of what is asked; of equal ones the first."""
    wanted = list_wanted(find_focus(found))
    is_whole = found.decision.policy == "strict" and found.decision.intent != "GENERAL"
    best: tuple[int, Extract | None] = (0, None)
    for place, hit in enumerate(found.hits[:LOOKED_AT]):
        extract = extract_answer(hit.title, hit.text, wanted=wanted, is_whole=is_whole)
        if best[1] is None or extract.coverage > best[1].coverage:
            best = (place, extract)
        if is_whole:
            break
    return best


def find_focus(found: Found) -> str:
    """The words of the question that are left to be found in a text.

    Names that are known for certain, words of the intent and words that say nothing are not among them, so that a text
    about the right thing that has nothing of what is asked is no answer.
    """
    reading = found.reading
    names = [hit.name for hit in (*found.decision.starts, *found.decision.entities)]
    is_strict = found.decision.policy == "strict"
    places = reading.list_residue(names) if is_strict else reading.list_residue()
    words = [reading.words[place].text for place in places]
    if not is_strict:
        words += [reading.text[span.start : span.end] for span in reading.spans]
    return " ".join(words)
