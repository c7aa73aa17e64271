"""Set the privacy guard's thresholds for the configured embedder from a labelled set."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from patterns.management.command import DescribedCommand
from retrieval.evaluation.calibration import KEPT_OUT, find_thresholds
from retrieval.evaluation.dataset import read_conversations, read_questions
from retrieval.index.embedding_models import get_configured_provider, store_thresholds


class Command(DescribedCommand):
    help = (
        "Set how near a neighbour must be to the question to be shown, by language, for the configured embedder.\n\n"
        "Example: script/manage calibrate_guard --conversations chats.jsonl --questions questions.jsonl --dry-run"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--conversations", type=Path, required=True, help="JSON Lines of conversations")
        parser.add_argument("--questions", type=Path, required=True, help="JSON Lines of questions with evidence")
        parser.add_argument("--kept-out", type=float, default=KEPT_OUT, help="share of unrelated messages to keep out")
        parser.add_argument("--dry-run", action="store_true", help="print the thresholds and store nothing")

    def handle(self, **options: Any) -> None:
        if not 0 < options["kept_out"] < 1:
            raise CommandError("--kept-out must be between 0 and 1")
        provider = get_configured_provider()
        thresholds = find_thresholds(
            conversations=read_conversations(options["conversations"]),
            questions=read_questions(options["questions"]),
            provider=provider,
            kept_out=options["kept_out"],
        )
        if not options["dry_run"]:
            store_thresholds(provider=provider, thresholds=thresholds)
        for language, threshold in sorted(thresholds.items()):
            self.stdout.write(f"{provider.name} {language} {threshold:.3f}")
