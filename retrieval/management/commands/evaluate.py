"""Measure retrieval on a labelled set."""

from __future__ import annotations

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from retrieval.configuration import get_pipeline
from retrieval.embedding.providers import build_provider
from retrieval.embedding.types import EmbeddingFailed, EmbeddingProvider
from retrieval.evaluation.dataset import read_conversations, read_questions
from retrieval.evaluation.metrics import METRICS, compare_scores
from retrieval.evaluation.packs import PackReport, evaluate_packs, format_packs
from retrieval.evaluation.runner import LabelledSet, Report, evaluate_recipes
from retrieval.index.embedding_models import get_configured_provider
from retrieval.search.recipes import Recipe, UnknownRecipe, get_recipe, list_ablations


class Command(BaseCommand):
    help = (
        "Measure retrieval on labelled questions: recall, MRR, nDCG, latency. All of it is rolled back.\n\n"
        "Example: manage.py evaluate --conversations chats.jsonl --questions questions.jsonl --recipe score-fusion-6\n"
        "         --floor recall@10=0.82 --floor temporal:recall@10=0.7\n"
        "The fields of both files are in docs/retrieval.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
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
        recipes: list[Recipe] = [recipe, *(list_ablations(recipe) if options["ablations"] else [])]
        reports = evaluate_recipes(
            labelled=LabelledSet(
                conversations=read_conversations(options["conversations"]),
                questions=read_questions(options["questions"]),
                is_one_user=options["one_user"],
                sessions_are_conversations=options["sessions"],
            ),
            recipes=recipes,
            provider=choose_provider(options["embedder"]),
            now=datetime.now(UTC),
        )
        self.stdout.write(format_report(reports[0]))
        if len(reports) > 1:
            self.stdout.write(format_ablations(reports))
        check_floors(reports[0], floors)


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
    lines = [head, f"{'category':28} {'n':>5} " + " ".join(f"{metric:>9}" for metric in METRICS)]
    for category, scores in report.scores.items():
        cells = " ".join(f"{scores[metric]:9.3f}" for metric in METRICS)
        lines.append(f"{category:28} {int(scores['n']):5d} {cells}")
    return "\n".join(lines)


def format_ablations(reports: Sequence[Report]) -> str:
    """What each part of a recipe brings: all metrics without it, and how many questions' recall at 10 that moves."""
    base, *others = reports
    lines = ["", f"{'recipe':44} " + " ".join(f"{metric:>9}" for metric in METRICS) + "  recall@10: better / worse"]
    for report in others:
        cells = " ".join(f"{report.scores['ALL'][metric]:9.3f}" for metric in METRICS)
        change, better, worse = compare_scores(report.by_question, base.by_question)
        lines.append(f"{report.recipe:44} {cells}  {change:+.4f}  {better} / {worse}")
    return "\n".join(lines)
