"""The gate of a change of recipe: figures of a labelled set may not fall by more than is allowed (SPEC Q-3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import msgspec

from retrieval.evaluation.dataset import LabelledConversation, LabelledQuestion
from retrieval.evaluation.runner import Report
from retrieval.search.accepted import Accepted, Unreadable, digest_recipe
from retrieval.search.recipes import Recipe

GATED: Final = ("recall@10", "precision@r")
Scores = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Allowed:
    """How much a figure may fall: over all questions, and of one kind with enough of them."""

    fall: float
    fall_of_kind: float
    min_questions: int


class Baseline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a labelled set gave once: with which embedder, and by which recipe."""

    labelled: str
    """Digest of the set: figures of another one say nothing."""
    embedder: str
    recipe: str
    scores: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Fall:
    """A figure that has fallen by more than is allowed."""

    category: str
    metric: str
    before: float
    after: float
    allowed: float

    def describe(self) -> str:
        """One line."""
        change = f"{self.before:.3f} > {self.after:.3f}"
        return f"{self.metric} of {self.category}: {change}, which is more than {self.allowed:.3f} less"


def digest_set(
    conversations: Sequence[LabelledConversation], questions: Sequence[LabelledQuestion], *, grouping: Sequence[bool]
) -> str:
    """The words, evidence and grouping of a labelled set as twelve digits."""
    text = repr([[asdict(one) for one in conversations], [asdict(one) for one in questions], list(grouping)])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def list_falls(after: Scores, before: Scores, *, allowed: Allowed) -> Iterator[Fall]:
    """What has fallen too much: over all questions, and of each kind that has enough of them."""
    for category, scores in before.items():
        is_whole = category == "ALL"
        if not is_whole and scores["n"] < allowed.min_questions:
            continue
        limit = allowed.fall if is_whole else allowed.fall_of_kind
        for metric in GATED:
            now = after.get(category, {}).get(metric, 0.0)
            if scores[metric] - now > limit + 1e-9:
                yield Fall(category, metric, scores[metric], now, limit)


def make_baseline(report: Report, *, labelled: str, embedder: str) -> Baseline:
    """The figures of a run, to be kept. Rounded to six digits, so that files are the same on every machine."""
    scores = {
        category: {name: round(found[name], 6) for name in (*GATED, "n")} for category, found in report.scores.items()
    }
    return Baseline(labelled=labelled, embedder=embedder, recipe=report.recipe, scores=scores)


def read_baseline(path: Path) -> Baseline:
    """A baseline from its file. Raises Unreadable."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Baseline)
    except (OSError, msgspec.MsgspecError) as error:
        raise Unreadable(f"{path} is no baseline that can be read") from error


def make_accepted(recipe: Recipe, report: Report, before: Baseline) -> Accepted:
    """The note on a recipe that has passed."""
    return Accepted(
        recipe=recipe.name,
        digest=digest_recipe(recipe),
        labelled=before.labelled,
        embedder=before.embedder,
        scores={name: round(report.scores["ALL"][name], 6) for name in GATED},
        before={name: before.scores["ALL"][name] for name in GATED},
    )
