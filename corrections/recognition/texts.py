"""A text with its cues: what was said, where, and whether something stands in the way of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from typing import Any, TypeVar, cast

from msgspec import Struct

from patterns.matching.phrases import Cue
from patterns.steps.message import Message, kept

T = TypeVar("T")

_MASKED = frozenset(
    (
        "denial",
        "challenge",
        "affirm",
        "ended",
        "over",
        "allow",
        "negation",
        "recent",
        "make_it",
        "reject",
        "doubt",
        "stands",
    )
)
_PHRASES = frozenset(("ended", "over", "challenge", "denial", "not_me", "stands", "make_it"))
_PARTS = frozenset(("reject", "polite", "question", "different", "why", "request", "unreal", "make_it"))
"""Words that mean nothing of their own inside those phrases ("not any more" asks for no more)."""
_HIDING = {"ended": "polite", "challenge": "unreal"}
"""Phrases whose part means nothing of its own: "больше не надо" ends nothing, "не уверена" doubts nothing."""
_COVERING = frozenset(("idiom", "stands", *_PHRASES, *_HIDING))
"""What alone may keep a cue out: without one of these all are kept."""
_COVERED = _MASKED | _PARTS | {"denial", *_HIDING}
"""What alone may be kept out."""
NEGATION_REACH = 4


class Text(Struct, dict=True, eq=False):
    """One reply or one turn before it, with all cues that stand in it. Positions are token indexes."""

    message: Message
    all_cues: Sequence[Cue]

    @kept
    def cues(self) -> dict[str, list[Cue]]:
        """The cues by category; those that lie inside an idiom ("no problem") are left out."""
        return _sort_cues(self.all_cues)

    @kept
    def categories(self) -> Set[str]:
        """The categories of all cues: those of `cues`, and of what may be left out of them. Quicker to tell."""
        return frozenset([cue[0] for cue in self.all_cues])

    @kept
    def _found(self) -> dict[Hashable, Any]:
        return {}

    def keep(self, name: Hashable, find: Callable[[], T]) -> T:
        """What `find` finds in the text, found once: replies are asked for the same things of each fact."""
        found = self._found
        if name not in found:
            found[name] = find()
        return cast(T, found[name])

    def list_cues(
        self, category: str, meaning: str | None = None, *, start: int = 0, end: int | None = None
    ) -> list[Cue]:
        """The cues of a category that begin in [start, end), in order."""
        last = len(self.message.tokens) if end is None else end
        return [
            cue
            for cue in self.cues.get(category, ())
            if start <= cue.start < last and (meaning is None or cue.meaning == meaning)
        ]

    def has(self, category: str, meaning: str | None = None, *, start: int = 0, end: int | None = None) -> bool:
        """Whether a cue of the category begins in [start, end)."""
        if meaning is None and start == 0 and end is None:
            return category in self.cues
        return bool(self.list_cues(category, meaning, start=start, end=end))

    def covered(self, categories: Iterable[str]) -> set[int]:
        """Tokens that cues of these categories lie on."""
        return {place for name in categories for cue in self.cues.get(name, ()) for place in range(cue.start, cue.end)}

    def uncovered(self, categories: Iterable[str], spans: Iterable[tuple[int, int]] = ()) -> list[int]:
        """Words and numbers that neither these cues nor these spans explain."""
        known = self.covered(categories)
        for start, end in spans:
            known.update(range(start, end))
        return [i for i, token in enumerate(self.message.tokens) if token.kind != "mark" and i not in known]

    def is_negated(self, start: int, *, reach: int = NEGATION_REACH) -> bool:
        """Whether a negation stands up to `reach` words before a place, in its segment, with no "only" behind it."""
        first = max(self.message.segment(start)[0], start - reach)
        return any(
            cue.end <= start and not any(self.has(name, start=cue.end, end=start) for name in ("only", "but"))
            for cue in self.list_cues("negation", start=first, end=start)
        )

    def is_question(self, place: int) -> bool:
        """Whether the clause around a place ends with a question mark; "no, S, ok?" asks nothing."""
        if not self.message.tokens:
            return False
        start, end = self.message.clause(place)
        if self.message.tokens[end - 1].text != "?":
            return False
        return not any(start < cue.start and cue.end == end - 1 for cue in self.cues.get("affirm", ()))


def _sort_cues(cues: Sequence[Cue]) -> dict[str, list[Cue]]:
    by_category: dict[str, list[Cue]] = {}
    hidden = () if _COVERING.isdisjoint([cue[0] for cue in cues]) else _list_hidden(cues)
    for cue in cues:
        if hidden and cue in hidden:
            continue
        found = by_category.get(cue[0])
        if found is None:
            by_category[cue[0]] = [cue]
        else:
            found.append(cue)
    return by_category


def _list_hidden(cues: Sequence[Cue]) -> list[Cue]:
    """The cues that say nothing of their own, because of what they lie in."""
    masks = [cue for cue in cues if cue[0] == "idiom" or (cue[0] == "stands" and cue[1] == "idiom")]
    phrases = [cue for cue in cues if cue[0] in _PHRASES and cue[4] - cue[3] > 1]
    if not masks and not phrases and _HIDING.keys().isdisjoint([cue[0] for cue in cues]):
        return []  # as for every "no" that stands alone
    return [cue for cue in cues if cue[0] in _COVERED and _is_hidden(cue, cues, masks, phrases)]


def _is_hidden(cue: Cue, cues: Sequence[Cue], masks: list[Cue], phrases: list[Cue]) -> bool:
    category = cue[0]
    hiding = _HIDING.get(category)
    if hiding is not None and any(other[0] == hiding and _is_inside(cue, other) for other in cues):
        return True
    if masks and category == "denial" and any(_overlaps(cue, mask) for mask in masks if mask[0] == "idiom"):
        return True
    if masks and category in _MASKED and any(_is_inside(cue, mask) for mask in masks):
        return True
    return bool(phrases) and category in _PARTS and any(_is_inside(cue, phrase) for phrase in phrases)


def _is_inside(cue: Cue, mask: Cue) -> bool:
    is_same = (cue.start, cue.end, cue.category) == (mask.start, mask.end, mask.category)
    return mask.start <= cue.start and cue.end <= mask.end and not is_same


def _overlaps(cue: Cue, mask: Cue) -> bool:
    """ "вовсе нет проблем": the idiom takes the word that the denial ends with."""
    return cue.start < mask.start < cue.end < mask.end
