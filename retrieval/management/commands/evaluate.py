"""Measure retrieval on a labelled set."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from patterns.management.command import DescribedCommand
from retrieval.configuration import get_pipeline
from retrieval.embedding.providers import build_provider
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider
from retrieval.evaluation.dataset import read_conversations, read_questions
from retrieval.evaluation.gating import (
    Allowed,
    Baseline,
    digest_set,
    list_falls,
    make_accepted,
    make_baseline,
    read_baseline,
)
from retrieval.evaluation.metrics import CELL, METRICS, compare_scores
from retrieval.evaluation.packs import PackReport, evaluate_packs, format_packs
from retrieval.evaluation.runner import LabelledSet, Report, evaluate_recipes
from retrieval.index.embedding_models import get_configured_provider
from retrieval.search.accepted import Unreadable, get_own_file, note_accepted, write_file
from retrieval.search.recipes import DEFAULT, Recipe, UnknownRecipe, get_recipe, list_ablations


class Command(DescribedCommand):
    # A recipe that has not passed the gate fails the checks: here is where it passes.
    requires_system_checks = ()
    help = (
        "Measure retrieval on labelled questions: recall, MRR, nDCG, latency. All of it is rolled back.\n\n"
        "Example: script/manage evaluate --conversations chats.jsonl --questions questions.jsonl\n"
        "         --recipe score-fusion-6 --floor recall@10=0.82 --floor temporal:recall@10=0.7\n"
        "         script/manage evaluate --conversations chats.jsonl --questions questions.jsonl --recipe plain\n"
        "         --gate --accept\n"
        "The fields of both files are in docs/retrieval.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--conversations", type=Path, required=True, help="JSON Lines of conversations")
        parser.add_argument("--questions", type=Path, required=True, help="JSON Lines of questions with evidence")
        parser.add_argument("--recipe", default="", help="name of a ranking recipe (default: the default one)")
        parser.add_argument(
            "--embedder", default="configured", help="configured, none, or a JSON provider configuration"
        )
        parser.add_argument("--one-user", action="store_true", help="put all conversations under one user (harder)")
        parser.add_argument("--sessions", action="store_true", help="make every labelled session a conversation")
        parser.add_argument("--ablations", action="store_true", help="also run the recipe without each of its parts")
        parser.add_argument(
            "--floor",
            action="append",
            default=[],
            metavar="[CATEGORY:]METRIC=VALUE",
            help="fail if a metric is below this; can be repeated",
        )
        parser.add_argument(
            "--pack",
            action="store_true",
            help="evidence in packs of 500 to 4,000 tokens, without episodes and with them, by kind of question",
        )
        parser.add_argument(
            "--gate",
            nargs="?",
            const="",
            metavar="FILE",
            help="fail if recall@10 or precision@r fall too far: below the active recipe's in the same run, or below a"
            " baseline in a file",
        )
        parser.add_argument("--allow", type=float, help="how far they may fall over all questions (default: 0.01)")
        parser.add_argument("--write-baseline", type=Path, metavar="FILE", help="keep the figures for --gate FILE")
        parser.add_argument(
            "--accept",
            nargs="?",
            const="",
            metavar="FILE",
            help="with --gate: note that the recipe has passed, so that UNDE_RECIPE may name it",
        )
        parser.add_argument("--min-recall", type=float, help="the same as --floor recall@10=VALUE")

    def handle(self, **options: Any) -> None:
        if options["pack"]:
            self.stdout.write(format_packs(measure_packs(options)))
            return
        floors = [read_floor(text) for text in options["floor"]]
        if options["min_recall"] is not None:
            floors.append(("ALL", "recall@10", options["min_recall"]))
        try:
            recipe = get_recipe(options["recipe"])
        except UnknownRecipe as error:
            raise CommandError(str(error)) from None
        gate = read_gate(options)
        base = choose_base(recipe) if gate and gate.is_paired else None
        recipes: list[Recipe] = [recipe, *(list_ablations(recipe) if options["ablations"] else [])]
        labelled = read_labelled(options)
        provider = choose_provider(options["embedder"])
        reports = evaluate_recipes(
            labelled=labelled,
            recipes=[*recipes, base] if base else recipes,
            provider=provider,
            now=datetime.now(UTC),
        )
        self.stdout.write(format_report(reports[0]))
        if len(recipes) > 1:
            self.stdout.write(format_ablations(reports[: len(recipes)]))
        check_floors(reports[0], floors)
        named = {"labelled": digest_labelled(labelled), "embedder": name_embedder(provider)}
        if options["write_baseline"]:
            write_file(options["write_baseline"], make_baseline(reports[0], **named))
        if gate:
            before = make_baseline(reports[-1], **named) if base else gate.read(**named)
            self.stdout.write(gate.judge(recipe, reports[0], before))


@dataclass(frozen=True, slots=True)
class Gate:
    """What `--gate` was asked for."""

    path: Path | None
    allowed: Allowed
    accepts: Path | None

    @property
    def is_paired(self) -> bool:
        """Whether the default recipe is measured in the same run."""
        return self.path is None

    def read(self, *, labelled: str, embedder: str) -> Baseline:
        """The baseline of the file. Raises CommandError where it is of another set or embedder."""
        assert self.path is not None
        try:
            found = read_baseline(self.path)
        except Unreadable as error:
            raise CommandError(str(error)) from None
        if (found.labelled, found.embedder) != (labelled, embedder):
            raise CommandError(f"{self.path} is of another labelled set or embedder ({found.embedder}).")
        return found

    def judge(self, recipe: Recipe, report: Report, before: Baseline) -> str:
        """What is to be said of a recipe that passes, noted where asked. Raises CommandError for one that does not."""
        falls = list(list_falls(report.scores, before.scores, allowed=self.allowed))
        if falls:
            raise CommandError("The gate is closed: " + "; ".join(fall.describe() for fall in falls))
        if self.accepts is None:
            return f"The gate is open: nothing fell by more than {self.allowed.fall:.3f} from {before.recipe}."
        if report.scores["ALL"]["n"] < self.allowed.min_questions:
            raise CommandError(f"Nothing is accepted on fewer than {self.allowed.min_questions} questions.")
        try:
            note_accepted(make_accepted(recipe, report, before), path=self.accepts)
        except (Unreadable, OSError) as error:
            raise CommandError(f"{self.accepts} cannot be written: {error}") from None
        return f"The gate is open: {recipe.name} is noted in {self.accepts}."


def read_gate(options: dict[str, Any]) -> Gate | None:
    """The gate that the arguments ask for. Raises CommandError."""
    tuning = settings.UNDE_TUNING
    if options["gate"] is None:
        if options["accept"] is not None or options["allow"] is not None:
            raise CommandError("--accept and --allow go with --gate.")
        return None
    fall = tuning.GATE_FALL if options["allow"] is None else options["allow"]
    if not 0 <= fall <= 1:
        raise CommandError("--allow is a number from 0 to 1.")
    if options["accept"] is not None and fall > tuning.GATE_FALL:
        raise CommandError(f"--accept takes no more than --allow {tuning.GATE_FALL}.")
    accepts = options["accept"] if options["accept"] is None else Path(options["accept"] or get_own_file())
    allowed = Allowed(fall, tuning.GATE_FALL_OF_KIND, tuning.GATE_MIN_QUESTIONS)
    return Gate(Path(options["gate"]) if options["gate"] else None, allowed, accepts)


def choose_base(recipe: Recipe) -> Recipe:
    """What a recipe is held against in the same run: the active one, or the default one where it is active itself.

    Raises CommandError for the default recipe where no other is active.
    """
    active = get_pipeline().recipe
    base = DEFAULT if active.name == recipe.name else active
    if base.name == recipe.name:
        raise CommandError(f"{recipe.name} cannot be held against itself: name a baseline, --gate FILE.")
    return base


def read_labelled(options: dict[str, Any]) -> LabelledSet:
    """The set that the arguments name."""
    return LabelledSet(
        conversations=read_conversations(options["conversations"]),
        questions=read_questions(options["questions"]),
        is_one_user=options["one_user"],
        sessions_are_conversations=options["sessions"],
    )


def digest_labelled(labelled: LabelledSet) -> str:
    """What a baseline calls a set, grouped as it is."""
    grouping = (labelled.is_one_user, labelled.sessions_are_conversations)
    return digest_set(labelled.conversations, labelled.questions, grouping=grouping)


def name_embedder(provider: EmbeddingProvider | None) -> str:
    """What a baseline calls an embedder."""
    return f"{provider.name}:{provider.dimensions}" if provider else "none"


def measure_packs(options: dict[str, Any]) -> PackReport:
    """Evidence per token of the installation's packs."""
    provider = choose_provider(options["embedder"])
    labelled = LabelledSet(read_conversations(options["conversations"]), read_questions(options["questions"]))
    pipeline = replace(get_pipeline(), provider=provider)
    return evaluate_packs(labelled=labelled, pipeline=pipeline, provider=provider, now=datetime.now(UTC))


def read_floor(text: str) -> tuple[str, str, float]:
    """`recall@10=0.82` or `temporal:recall@10=0.7` as category, metric and value. Raises CommandError."""
    name, _, value = text.partition("=")
    category, _, metric = name.rpartition(":")
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if metric not in METRICS or number < 0:
        raise CommandError(f"--floor takes METRIC=VALUE with a metric of {', '.join(METRICS)}")
    return category or "ALL", metric, number


def check_floors(report: Report, floors: Sequence[tuple[str, str, float]]) -> None:
    """Raises CommandError, which ends the command with exit code 1, when a metric is below its floor."""
    broken = []
    for category, metric, least in floors:
        if category not in report.scores:
            raise CommandError(f"no questions of category {category}; there are: {', '.join(report.scores)}")
        value = report.scores[category][metric]
        if value < least:
            broken.append(f"{metric} of {category} is {value:.3f}, below {least:.3f}")
    if broken:
        raise CommandError("; ".join(broken))


def choose_provider(choice: str) -> EmbeddingProvider | None:
    """The embedder of an argument: `configured`, `none`, or a JSON configuration. Raises CommandError."""
    if choice == "configured":
        return get_configured_provider()
    if choice == "none":
        return None
    try:
        return build_provider(json.loads(choice))
    except (json.JSONDecodeError, TypeError) as error:
        raise CommandError("--embedder takes configured, none, or a JSON object") from error
    except EmbeddingFailed as failure:
        raise CommandError(f"the embedder cannot be used: {failure.code}") from None


def format_report(report: Report) -> str:
    """A table of scores by category, with the times above it."""
    head = (
        f"recipe {report.recipe}: {report.messages} messages in {report.ingest_seconds:.1f} s, "
        f"search p50 {report.p50_ms:.1f} ms, p95 {report.p95_ms:.1f} ms"
    )
    lines = [head, f"{'category':28} {'n':>5} " + " ".join(f"{metric:>{CELL}}" for metric in METRICS)]
    for category, scores in report.scores.items():
        cells = " ".join(f"{scores[metric]:{CELL}.3f}" for metric in METRICS)
        lines.append(f"{category:28} {int(scores['n']):5d} {cells}")
    return "\n".join(lines)


def format_ablations(reports: Sequence[Report]) -> str:
    """What each part of a recipe brings: all metrics without it, and how many questions' recall at 10 that moves."""
    base, *others = reports
    lines = [
        "",
        f"{'recipe':44} " + " ".join(f"{metric:>{CELL}}" for metric in METRICS) + "  recall@10: better / worse",
    ]
    for report in others:
        cells = " ".join(f"{report.scores['ALL'][metric]:{CELL}.3f}" for metric in METRICS)
        change, better, worse = compare_scores(report.by_question, base.by_question)
        lines.append(f"{report.recipe:44} {cells}  {change:+.4f}  {better} / {worse}")
    return "\n".join(lines)
