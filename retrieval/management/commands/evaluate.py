"""Measure retrieval on a labelled set."""

from __future__ import annotations

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from retrieval.embedding.providers import build_provider
from retrieval.embedding.types import EmbeddingProvider
from retrieval.evaluation.dataset import read_conversations, read_questions
from retrieval.evaluation.metrics import METRICS
from retrieval.evaluation.runner import LabelledSet, Report, evaluate
from retrieval.recipes import UnknownRecipe, get_recipe
from retrieval.services.models import get_configured_provider


class Command(BaseCommand):
    help = (
        "Measure retrieval on labelled questions: recall, MRR, nDCG, latency. All of it is rolled back.\n\n"
        "Example: manage.py evaluate --conversations chats.jsonl --questions questions.jsonl --recipe score-fusion-2\n"
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
        parser.add_argument(
            "--sessions", action="store_true", help="every labelled session is a conversation of its own"
        )
        parser.add_argument("--min-recall", type=float, help="fail when recall@10 of ALL is below this")

    def handle(self, **options: Any) -> None:
        try:
            recipe = get_recipe(options["recipe"])
        except UnknownRecipe as error:
            raise CommandError(str(error)) from None
        report = evaluate(
            labelled=LabelledSet(
                conversations=read_conversations(options["conversations"]),
                questions=read_questions(options["questions"]),
                is_one_user=options["one_user"],
                sessions_are_conversations=options["sessions"],
            ),
            recipe=recipe,
            provider=choose_provider(options["embedder"]),
            now=datetime.now(UTC),
        )
        self.stdout.write(format_report(report, name=recipe.name))
        recall = report.scores["ALL"]["recall@10"]
        if options["min_recall"] is not None and recall < options["min_recall"]:
            raise CommandError(f"recall@10 is {recall:.3f}, below {options['min_recall']:.3f}")


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


def format_report(report: Report, *, name: str) -> str:
    """A table of scores by category, with the times above it."""
    head = (
        f"recipe {name}: {report.messages} messages in {report.ingest_seconds:.1f} s, "
        f"search p50 {report.p50_ms:.1f} ms, p95 {report.p95_ms:.1f} ms"
    )
    lines = [head, f"{'category':28} {'n':>5} " + " ".join(f"{metric:>9}" for metric in METRICS)]
    for category, scores in report.scores.items():
        cells = " ".join(f"{scores[metric]:9.3f}" for metric in METRICS)
        lines.append(f"{category:28} {int(scores['n']):5d} {cells}")
    return "\n".join(lines)
