"""script/manage run_golden: put the golden cases to a real endpoint and print score cards (SPEC X-6)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from memory.extraction.configuration import EndpointMisconfigured, make_endpoint
from memory.extraction.golden import CaseResult, load_cases, render_card, run_case
from memory.extraction.model.openai_client import FORMATS, OpenAICompatibleClient
from memory.registries import GoldenResult, golden_suites
from patterns.management.command import DescribedCommand
from patterns.registry import get_rule_set

EXTRACTION: Final = "extraction"
ALL: Final = "all"


class Command(DescribedCommand):
    """Reads cases, asks the endpoint, writes nothing. Exit code 1 when a false fact would have come out."""

    help = """Score a model on the golden cases.

extraction: what it proposes, and what the gate lets through. answers: how it replies to a pack (quotes, dates,
ids, language). The key comes from UNDE_LLM_KEY. Exit code 1 when a false fact came through the gate.

  UNDE_LLM_KEY=... script/manage run_golden --endpoint https://host/v1 --model some-model
  script/manage run_golden --suite answers --only K14 K27"""

    def add_arguments(self, parser: CommandParser) -> None:
        """Without arguments: the endpoint of the settings."""
        suites = [ALL, EXTRACTION, *(name for name, _ in golden_suites.items())]
        parser.add_argument(
            "--endpoint", default=settings.UNDE_LLM_URL, help="base URL of the API, e.g. http://host/v1"
        )
        parser.add_argument("--model", default=settings.UNDE_LLM_MODEL)
        parser.add_argument("--format", default=settings.UNDE_LLM_FORMAT, choices=("auto", *FORMATS))
        parser.add_argument("--suite", default=ALL, choices=suites, help="default: all")
        parser.add_argument("--cases", type=Path, default=settings.BASE_DIR / "tests/data/golden/extraction.yaml")
        parser.add_argument("--only", nargs="*", default=[], help="names of cases")

    def handle(self, *args: Any, **options: Any) -> None:
        """The key comes from UNDE_LLM_KEY: an argument would be in the list of processes."""
        client = self._make_client(options)
        wanted = options["suite"]
        results = self._run_extraction(client, options) if wanted in (ALL, EXTRACTION) else []
        for name, run_suite in golden_suites.items():
            if wanted in (ALL, name):
                self._print_suite(name, list(run_suite(client, only=options["only"])))
        if any(result.count_wrong(result.let_through) for result in results):
            raise CommandError("the gate accepted false facts", returncode=1)

    def _run_extraction(self, client: OpenAICompatibleClient, options: dict[str, Any]) -> list[CaseResult]:
        cases = [case for case in load_cases(options["cases"]) if not options["only"] or case.name in options["only"]]
        rules = get_rule_set(tenant_id=None)
        results: list[CaseResult] = []
        for case in cases:
            results.append(run_case(case, client=client, rules=rules))
            self.stderr.write(".", ending="")
        self.stderr.write("")
        if results:
            self.stdout.write(render_card(results))
        return results

    def _print_suite(self, name: str, results: Sequence[GoldenResult]) -> None:
        if not results:
            return
        width = max(len(result.name) for result in results)
        self.stdout.write(f"\n{name:<{width}}  reply  what became of it")
        for result in results:
            self.stdout.write(f"{result.name:<{width}}  {'ok' if result.is_right else 'WRONG':<5}  {result.outcome}")
        right = sum(result.is_right for result in results)
        self.stdout.write(f"{len(results)} cases: right in {right}")

    def _make_client(self, options: dict[str, Any]) -> OpenAICompatibleClient:
        if not options["endpoint"] or not options["model"]:
            raise CommandError("Give --endpoint and --model, or set UNDE_LLM_URL and UNDE_LLM_MODEL.")
        try:
            endpoint = make_endpoint(
                url=options["endpoint"],
                model=options["model"],
                key=settings.UNDE_LLM_KEY,
                timeout_seconds=settings.UNDE_LLM_TIMEOUT,
                answer_format=options["format"],
                extra=settings.UNDE_LLM_EXTRA or {},
            )
        except EndpointMisconfigured as error:
            raise CommandError(str(error)) from None
        return OpenAICompatibleClient(endpoint)
